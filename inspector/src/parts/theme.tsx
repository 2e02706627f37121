import { effect, signal } from '@preact/signals'

const KEY = 'throughline.theme'
const THEMES = ['system', 'light', 'dark'] as const
type Theme = (typeof THEMES)[number]

const theme = signal<Theme>(stored())

effect(() => {
  document.documentElement.dataset['theme'] = theme.value
  store(theme.value)
})

// browsers that block storage throw on access
function stored(): Theme {
  try {
    return THEMES.find((name) => name === localStorage.getItem(KEY)) ?? 'system'
  } catch {
    return 'system'
  }
}

function store(name: Theme): void {
  try {
    localStorage.setItem(KEY, name)
  } catch {
    // then it lasts until the page is reloaded
  }
}

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
