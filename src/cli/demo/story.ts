import type { Session, Throughline } from '../../api.ts'
import { open } from '../../open.ts'
import type { Output } from '../output.ts'
import type { Narrator, Tell } from './narrator.ts'
import { follow, lookBack } from './reading.ts'
import { factsShown, refusalOf, refusalShown } from './show.ts'
import { converse, crowd } from './writing.ts'

/** Walks through the life of one session, from the first call to the last. */
export async function tellStory(url: string, { step }: Narrator, output: Output): Promise<void> {
  const tl = await step({
    title: 'Open a store. It is made on first use.',
    call: "const tl = await open({ url, tokenizer: 'estimate' })",
    run: () => open({ url, tokenizer: 'estimate' }),
    async show(opened) {
      const { store, schema = 0, details } = await opened.health()
      const { file: _, ...rest } = details
      return factsShown({ store, schema, ...rest })
    },
  })
  try {
    const session = await converse(tl, step, output)
    await crowd(session, step, output)
    await follow(tl, session, step, output)
    await lookBack(session, step, output)
    await finish(tl, session, step, output)
  } finally {
    await tl.close()
  }
}

async function finish(tl: Throughline, session: Session, step: Tell, output: Output): Promise<void> {
  await step({
    title: 'End the session. Its log stays.',
    call: 'await s.end()',
    run: () => session.end(),
    show: ({ status, head, turns }) => factsShown({ status: status.state, head, turns }),
  })
  await step({
    title: 'An ended session takes no more events.',
    call: "await s.append({ type: 'user_message', content: 'One more thing' })",
    run: () => refusalOf(() => session.append({ type: 'user_message', content: 'One more thing' })),
    show: (refusal) => refusalShown(refusal, output),
  })
  await step({
    title: 'Fold the log again and compare it with what is stored.',
    call: 'await tl.verify(s.id)',
    run: () => tl.verify(session.id),
    show: ({ sessions, events, differences }) => factsShown({ sessions, events, differences: differences.length }),
  })
}
