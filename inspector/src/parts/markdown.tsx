import type { Token, Tokens } from 'marked'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from './button.tsx'
import { Clamp } from './clamp.tsx'
import css from './markdown.module.css'
import { cutForMarkdown, MARKDOWN_LIMIT, safeHref, tokensOf, withEntities } from './markdown-tokens.ts'
import { memo } from './memo.tsx'
import { visible } from './visible.ts'

/** Depth of lists, quotes and emphasis beyond which the source is shown. */
const DEPTH = 12

/**
 * Markdown as elements, never as HTML, so content cannot run anything. The first `most` characters of a long text are
 * rendered, the rest on demand.
 */
export const Markdown = memo(({ text, most = MARKDOWN_LIMIT }: { text: string; most?: number }) => {
  const [beginning, rest] = cutForMarkdown(text, Math.min(most, MARKDOWN_LIMIT))
  return (
    <div class={css.markdown} dir="auto">
      <Part text={beginning} />
      {rest !== '' && <Rest text={rest} />}
    </div>
  )
})

function Part({ text }: { text: string }): ComponentChildren {
  const tokens = tokensOf(text)
  return tokens === undefined ? <Clamp text={text} /> : blocks(tokens, 0)
}

function Rest({ text }: { text: string }) {
  const [isShown, setShown] = useState(false)
  if (!isShown)
    return (
      <Button
        look="small"
        text={`Show the rest: ${text.length.toLocaleString('en')} characters`}
        onClick={() => setShown(true)}
      />
    )
  const [next, rest] = cutForMarkdown(text)
  return (
    <>
      <Part text={next} />
      {rest !== '' && <Clamp text={rest} most={MARKDOWN_LIMIT} />}
    </>
  )
}

function blocks(tokens: readonly Token[], depth: number): ComponentChildren {
  return tokens.map((token, index) => <Block key={index} token={token as Tokens.Generic} depth={depth} />)
}

function Block({ token, depth }: { token: Tokens.Generic; depth: number }): ComponentChildren {
  if (depth > DEPTH) return <p>{visible(token.raw)}</p>
  switch (token.type) {
    case 'space':
    case 'def':
      return null
    case 'hr':
      return <hr />
    case 'heading':
      // not a real heading: content must not change the outline of the page
      return (
        <p class={css.heading} data-depth={Math.min(token['depth'], 4)}>
          {inlines(token, depth)}
        </p>
      )
    case 'code':
      return <CodeBlock text={token['text']} lang={token['lang']} />
    case 'blockquote':
      return <blockquote>{blocks(token.tokens ?? [], depth + 1)}</blockquote>
    case 'list':
      return <List list={token as Tokens.List} depth={depth} />
    case 'table':
      return <Table table={token as Tokens.Table} depth={depth} />
    case 'paragraph':
    case 'text':
      return <p>{inlines(token, depth)}</p>
    default:
      return <p>{visible(token.raw)}</p>
  }
}

function CodeBlock({ text, lang }: { text: string; lang: string | undefined }) {
  const name = visible((lang ?? '').slice(0, 40))
  return (
    <figure class={css.code}>
      {name !== '' && <figcaption>{name}</figcaption>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolls by keyboard */}
      <pre tabIndex={0} data-scroll>
        <code>{visible(text)}</code>
      </pre>
    </figure>
  )
}

function List({ list, depth }: { list: Tokens.List; depth: number }) {
  const items = list.items.map((item, index) => (
    <li key={index} class={item.task ? css.task : undefined}>
      {item.task && <span role="img" aria-label={item.checked ? 'done' : 'to do'} data-done={item.checked === true} />}
      {blocks(
        item.tokens.filter(({ type }) => type !== 'checkbox'),
        depth + 1,
      )}
    </li>
  ))
  return list.ordered ? <ol {...(list.start !== '' && { start: list.start })}>{items}</ol> : <ul>{items}</ul>
}

function Table({ table, depth }: { table: Tokens.Table; depth: number }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolls by keyboard
    <div class={css.table} tabIndex={0} data-scroll>
      <table>
        <thead>
          <tr>
            {table.header.map((cell, index) => (
              <th key={index} scope="col" style={{ textAlign: cell.align ?? undefined }}>
                {inlines(cell, depth)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => (
                <td key={column} style={{ textAlign: cell.align ?? undefined }}>
                  {inlines(cell, depth)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function inlines({ tokens, text }: { tokens?: Token[]; text?: string }, depth: number): ComponentChildren {
  if (tokens === undefined) return visible(withEntities(text ?? ''))
  return tokens.map((token, index) => <Inline key={index} token={token as Tokens.Generic} depth={depth} />)
}

function Inline({ token, depth }: { token: Tokens.Generic; depth: number }): ComponentChildren {
  if (depth > DEPTH) return visible(token.raw)
  switch (token.type) {
    case 'strong':
      return <strong>{inlines(token, depth + 1)}</strong>
    case 'em':
      return <em>{inlines(token, depth + 1)}</em>
    case 'del':
      return <del>{inlines(token, depth + 1)}</del>
    case 'codespan':
      return <code>{visible(token['text'])}</code>
    case 'br':
      return <br />
    case 'link':
      return <Link href={token['href']}>{inlines(token, depth + 1)}</Link>
    case 'image':
      // never loaded: that would tell its server who looks at the session
      return <Link href={token['href']}>[image: {visible(token['text'])}]</Link>
    case 'text':
      return inlines(token as { tokens?: Token[]; text?: string }, depth + 1)
    case 'escape':
      return visible(token['text'])
    case 'checkbox':
      return null
    default:
      return visible(token.raw)
  }
}

function Link({ href, children }: { href: string; children: ComponentChildren }) {
  const target = safeHref(href)
  if (target === undefined)
    return (
      <>
        {children} <span class="muted">({visible(href.slice(0, 200))})</span>
      </>
    )
  return (
    <a href={target} target="_blank" rel="noopener noreferrer nofollow" title={visible(target.slice(0, 500))}>
      {children}
    </a>
  )
}
