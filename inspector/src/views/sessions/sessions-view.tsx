export function SessionsView() {
  return <p>SessionsView</p>
}
