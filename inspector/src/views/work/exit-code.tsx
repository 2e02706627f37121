/** How a command ended, in words and not by colour alone. */
export function ExitCode({ exitCode }: { exitCode?: number | undefined }) {
  if (exitCode === undefined) return <span class="badge">exit code not told</span>
  return (
    <span class="badge" data-failed={exitCode !== 0}>
      {exitCode === 0 ? 'exit 0' : `failed, exit ${exitCode}`}
    </span>
  )
}
