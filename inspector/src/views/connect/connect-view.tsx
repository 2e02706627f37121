export function ConnectView() {
  return <p>ConnectView</p>
}
