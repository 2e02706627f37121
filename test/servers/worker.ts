// runs before every test file: a worker whose main process is gone ends, so that its servers end too
function endWithMainProcess(): void {
  process.kill(process.pid, 'SIGKILL')
}
const isInstalled = process.listeners('disconnect').some(({ name }) => name === endWithMainProcess.name)
if (!isInstalled) process.once('disconnect', endWithMainProcess)
