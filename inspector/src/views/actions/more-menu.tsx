import { useEffect, useRef } from 'preact/hooks'
import { ACTIONS, type ActionName, type OfferedActions } from './action-table.ts'
import css from './more-menu.module.css'

/** A menu with the less frequent actions. */
export function MoreMenu({ offered, onChoose }: { offered: OfferedActions; onChoose: (name: ActionName) => void }) {
  const menu = useRef<HTMLDetailsElement>(null)
  const button = useRef<HTMLElement>(null)
  const close = () => {
    if (menu.current !== null) menu.current.open = false
  }
  useEffect(() => {
    const outside = ({ target }: Event) => {
      if (target instanceof Node && menu.current?.contains(target) === false) close()
    }
    document.addEventListener('pointerdown', outside)
    document.addEventListener('focusin', outside)
    return () => {
      document.removeEventListener('pointerdown', outside)
      document.removeEventListener('focusin', outside)
    }
  }, [])
  const choose = (name: ActionName) => {
    // the dialog returns the focus here: the menu item is hidden by then
    button.current?.focus()
    close()
    onChoose(name)
  }
  return (
    <details
      ref={menu}
      class={css.menu}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || menu.current?.open !== true) return
        event.preventDefault()
        button.current?.focus()
        close()
      }}
    >
      <summary ref={button} class={`button ${css.button}`}>
        More
      </summary>
      <div class={css.items}>
        <Items names={offered.more} onChoose={choose} />
        {offered.agent.length > 0 && (
          <>
            <p class={css.group}>As the agent</p>
            <Items names={offered.agent} onChoose={choose} />
          </>
        )}
      </div>
    </details>
  )
}

function Items({ names, onChoose }: { names: readonly ActionName[]; onChoose: (name: ActionName) => void }) {
  return (
    <ul>
      {names.map((name) => (
        <li key={name}>
          <button type="button" data-final={ACTIONS[name].isFinal} onClick={() => onChoose(name)}>
            {ACTIONS[name].name} …
          </button>
        </li>
      ))}
    </ul>
  )
}
