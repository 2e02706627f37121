// runs in every worker: when the main process is gone, it ends, so that its servers end too
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'))
