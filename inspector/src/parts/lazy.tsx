import type { FunctionComponent } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { AlertNote, Loading } from './notes.tsx'

/** A component whose code is fetched when it is first shown. */
export function lazy<Props extends object>(load: () => Promise<FunctionComponent<Props>>): FunctionComponent<Props> {
  let loaded: FunctionComponent<Props> | undefined
  return function Lazily(props: Props) {
    const [View, setView] = useState(() => loaded)
    const [isGone, setGone] = useState(false)
    useEffect(() => {
      if (View !== undefined) return
      load().then(
        (view) => {
          loaded = view
          setView(() => view)
        },
        () => setGone(true),
      )
    }, [View])
    if (View !== undefined) return <View {...props} />
    return isGone ? <Gone /> : <Loading />
  }
}

/** The file is missing: the server is down or has another version of the page. */
function Gone() {
  return (
    <AlertNote button="Reload page" onClick={() => location.reload()}>
      Could not load this view. The server may be down or was updated.
    </AlertNote>
  )
}
