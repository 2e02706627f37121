import { effect, signal } from '@preact/signals'
import { readStored, writeStored } from '../api/storage.ts'

const KEY = 'throughline.theme'
const THEMES = ['system', 'light', 'dark'] as const
type Theme = (typeof THEMES)[number]

const stored = readStored('localStorage', KEY)
const theme = signal<Theme>(THEMES.find((name) => name === stored) ?? 'system')

effect(() => {
  document.documentElement.dataset['theme'] = theme.value
  writeStored('localStorage', KEY, theme.value)
})

/** Chooses system, light or dark. */
export function ThemePicker() {
  return (
    <label class="theme">
      <span class="hidden">Theme</span>
      <select
        class="input small"
        value={theme.value}
        onChange={({ currentTarget }) => {
          theme.value = currentTarget.value as Theme
        }}
      >
        <option value="system">System</option>
        <option value="light">Light</option>
        <option value="dark">Dark</option>
      </select>
    </label>
  )
}
