// first, so that a view may differ from what all share
import './styles/tokens.css'
import './styles/base.css'
import { render } from 'preact'
import { App } from './app.tsx'

const root = document.getElementById('app')
if (root !== null) render(<App />, root)
