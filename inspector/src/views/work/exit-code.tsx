/** How a command ended, in text and not by color alone. */
export function ExitCode({ exitCode }: { exitCode?: number | undefined }) {
  if (exitCode === undefined) return <span class="badge">no exit code</span>
  return (
    <span class="badge" data-failed={exitCode !== 0}>
      {exitCode === 0 ? 'exit 0' : `failed, exit ${exitCode}`}
    </span>
  )
}
