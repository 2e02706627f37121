/** Every promise that is settled has been acted upon by then: whoever was answered and writes again at once has done so. */
export function nextTick(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve))
}
