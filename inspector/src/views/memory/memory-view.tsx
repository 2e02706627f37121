export function MemoryView() {
  return <p>MemoryView</p>
}
