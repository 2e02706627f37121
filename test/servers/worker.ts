// runs in every worker: without whoever started it, it would go on with its tests for nobody, and keep the servers that it has
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'))
