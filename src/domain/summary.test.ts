import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { extractiveSummary } from './summary.ts'
import { summarizeWork, type WorkSummary } from './work.ts'

const NOTHING = summarizeWork([])
const WORK: WorkSummary = {
  ...NOTHING,
  decisions: ['use jitter', 'five retries'],
  filesRead: ['README.md'],
  filesWritten: [{ path: 'src/a.ts', hash: 'h' }, { path: 'src/b.ts' }],
  commands: [{ command: 'npm test', exitCode: 0 }, { command: 'npm run lint', exitCode: 2 }, { command: 'ls' }],
  plans: ['read it', 'change it'],
  openQuestions: ['Which delay?'],
  turns: 1,
  toolCalls: 12,
}

describe('the extractive summary', () => {
  it('names task, conclusion, files, commands with outcomes, decisions and open questions', () => {
    const summary = extractiveSummary({ task: 'Add retries', work: WORK, lastModelMessage: 'Done. Tests pass.' })
    expect(summary).toBe(
      [
        'Task: Add retries',
        'Concluded: Done. Tests pass.',
        'Files written: src/{a.ts, b.ts}',
        'Commands: 1 of 3 failed: npm run lint failed with 2; npm test passed; ls',
        'Decisions: use jitter; five retries',
        'Open: Which delay?',
      ].join('\n'),
    )
  })

  it('prefers the proposal to the last message', () => {
    const given = { work: NOTHING, lastModelMessage: 'Thanks!' }
    expect(extractiveSummary({ ...given, proposed: 'Retries are in.' })).toBe('Concluded: Retries are in.')
    expect(extractiveSummary({ ...given, proposed: ' ' })).toBe('Concluded: Thanks!')
  })

  it('keeps the report of the work if the last messages only talk about it', () => {
    const of = (report: string, lastModelMessage = 'Yes, pushed.', proposed?: string) =>
      extractiveSummary({ work: { ...NOTHING, report }, lastModelMessage, proposed })
    expect(of('Retries are in.\nTests pass.')).toBe('Concluded: Retries are in. Tests pass. / Yes, pushed.')
    expect(of('Yes, pushed.')).toBe('Concluded: Yes, pushed.')
    expect(of('Retries are in.', 'Thanks', 'Done.')).toBe('Concluded: Done.')
    const long = of('x. '.repeat(900), 'y. '.repeat(900))
    expect(long).toMatch(/^Concluded: (x\. )+\/ (y\. )+y\.$/)
    expect(long.length).toBeLessThan(920)
  })

  it('is not empty even if there was nothing', () => {
    expect(extractiveSummary({ work: NOTHING })).toBe('No work was recorded.')
    expect(extractiveSummary({ task: ' \n', work: NOTHING, lastModelMessage: '' })).toBe('No work was recorded.')
  })

  it('keeps whole sentences of a long message, or the beginning of one that does not end', () => {
    const message = `One is done.  Two is\ndone! ${'and so on '.repeat(100)}. Three.`
    const items = `All is done. The parts:\n\n- one, without an end\n- two\n- ${'three '.repeat(200)}`
    const parts = 'Concluded: All is done. The parts: - one, without an end - two …'
    expect(extractiveSummary({ work: NOTHING, lastModelMessage: items })).toBe(parts)
    expect(extractiveSummary({ work: NOTHING, lastModelMessage: message })).toBe('Concluded: One is done. Two is done!')
    const endless = extractiveSummary({ work: NOTHING, lastModelMessage: 'x1.5 '.repeat(400) })
    expect(endless).toMatch(/^Concluded: x1\.5 .*…$/)
    expect(endless.length).toBeLessThan(920)
    const whole = `One. ${'x'.repeat(895)}`
    expect(extractiveSummary({ work: NOTHING, lastModelMessage: whole })).toBe(`Concluded: ${whole}`)
    expect(extractiveSummary({ work: NOTHING, lastModelMessage: `${whole}y` })).toBe('Concluded: One.')
    expect(extractiveSummary({ work: NOTHING, lastModelMessage: `. ${whole.slice(5)}${whole}` })).toContain('xxx')
  })

  it('keeps the newest of long lists and counts the others', () => {
    const filesWritten = Array.from({ length: 200 }, (_, i) => ({ path: `src/file-${i}.ts` }))
    const summary = extractiveSummary({ work: { ...NOTHING, filesWritten, omitted: { filesWritten: 5 } } })
    expect(summary).toMatch(/^Files written: src\/\{file-165\.ts, .*, file-199\.ts\} \(and 170 more\)$/)
    const pair = ['x'.repeat(118), 'y'.repeat(118)]
    expect(extractiveSummary({ work: { ...NOTHING, decisions: pair } })).toBe(`Decisions: ${pair.join('; ')}`)
    const decisions = ['a short one', 'y'.repeat(1000)]
    expect(extractiveSummary({ work: { ...NOTHING, decisions } })).toBe(`Decisions: a short one; ${'y'.repeat(119)}…`)
  })

  it('names what else was asked: not the task again', () => {
    const work = { ...NOTHING, requests: ['Add retries to connect()', 'Now the docs', 'did you push?'] }
    expect(extractiveSummary({ task: 'Add retries to connect()', work })).toBe(
      'Task: Add retries to connect()\nAsked later: Now the docs / did you push?',
    )
    expect(extractiveSummary({ work: { ...NOTHING, requests: ['Add retries'] } })).toBe('Asked: Add retries')
  })

  it('says what is left', () => {
    const work = {
      ...NOTHING,
      commands: [
        { command: 'make', exitCode: 0 },
        { command: 'make test', exitCode: 2 },
      ],
      openSteps: ['Mend it', 'Test it'],
      openCalls: ['Bash', 'Read'],
      openQuestions: ['Which delay?'],
    }
    expect(extractiveSummary({ work }).split('\n').at(-1)).toBe(
      'Open: no result of Bash, Read; the last command failed: make test; Test it; Mend it; Which delay?',
    )
  })

  it.each([
    ['git commit -m "feat: retry"', 'feat: retry'],
    ["git add -A && git commit -am 'feat: retry' && git push", 'feat: retry'],
    ['git -C /app commit --no-verify --message="feat: retry\n\nBecause."', 'feat: retry'],
    ['git commit -m "$(cat <<\'EOF\'\nfeat: retry\n\nBecause.\nEOF\n)"', 'feat: retry'],
    ['git commit --amend --no-edit', undefined],
    ['git commit -m ""', undefined],
    ['echo commit -m "no"', undefined],
  ])('lists the subject of a commit: %j', (command, subject) => {
    const of = (exitCode: number) => extractiveSummary({ work: { ...NOTHING, commands: [{ command, exitCode }] } })
    const [line = ''] = of(0).split('\n')
    expect(line.startsWith('Committed: ') ? line : undefined).toBe(subject && `Committed: ${subject}`)
    expect(of(1)).not.toContain('Committed')
  })

  it('lists commands without what limits their output, those that only look around last, and no commits', () => {
    const passed = (command: string) => ({ command, exitCode: 0 })
    const looks = ['git status', 'cd src && ls -l | head -5', 'grep -rn "x" src 2>/dev/null; echo "---"', 'ls']
    const acts = ['npm test 2>&1 | tail -30', 'git push 2>&1', 'git commit -m "feat: retry"', 'lsof -i']
    const commands = [...acts, ...looks].map(passed)
    expect(extractiveSummary({ work: { ...NOTHING, commands: commands.slice(0, 5) } })).toBe(
      'Committed: feat: retry\nCommands: git status passed; npm test passed; git push passed; lsof -i passed',
    )
    const all = { ...NOTHING, commands: [{ command: 'make', exitCode: 2 }, ...commands] }
    expect(extractiveSummary({ work: all }).split('\n').at(-1)).toMatch(
      /^Commands: 1 of 9 failed: make failed with 2; lsof -i passed; git push passed; npm test passed; ls passed; /,
    )
  })

  it('leaves out code and marks of the last message, and ends at no number of a list', () => {
    const message = `## Done\n\n**All** passed:\n\`\`\`\nlog\n\`\`\`\n1. One. 2. Two. 3. ${'x'.repeat(900)}`
    expect(extractiveSummary({ work: NOTHING, lastModelMessage: message })).toBe(
      'Concluded: Done All passed: 1. One. 2. Two.',
    )
  })

  it('lists files of one folder together', () => {
    const files = ['a.ts', 'src/b.ts', 'docs/c.md', 'src/d.ts', 'e.ts'].map((path) => ({ path }))
    expect(extractiveSummary({ work: { ...NOTHING, filesWritten: files } })).toBe(
      'Files written: a.ts, e.ts, src/{b.ts, d.ts}, docs/c.md',
    )
  })

  it('has at most two thousand characters, even if each part is full', () => {
    const long = Array.from({ length: 40 }, (_, i) => `${i} ${'x'.repeat(38)}`)
    const work: WorkSummary = {
      ...WORK,
      decisions: long,
      openSteps: long,
      openQuestions: long,
      requests: long,
      filesWritten: long.map((path) => ({ path })),
      commands: long.flatMap((name) => [
        { command: name, exitCode: 1 },
        { command: `git commit -m "${name}"`, exitCode: 0 },
      ]),
      omitted: { decisions: 1e6, filesWritten: 1e6, commands: 1e6 },
    }
    const text = long.join('. ')
    const summary = extractiveSummary({ task: text, work, lastModelMessage: text })
    expect(summary.split('\n').map((line) => line.split(':')[0])).toEqual([
      'Task',
      'Asked later',
      'Concluded',
      'Committed',
      'Files written',
      'Commands',
      'Decisions',
      'Open',
    ])
    expect(summary.length).toBeLessThanOrEqual(2000)
  })

  it('has at most two thousand characters, whatever it is made of', () => {
    const text = fc.oneof(fc.string(), fc.string({ minLength: 500, maxLength: 3000 }))
    const texts = fc.array(text, { maxLength: 30 })
    fc.assert(
      fc.property(text, texts, fc.option(text, { nil: undefined }), (task, all, proposed) => {
        const work: WorkSummary = {
          ...WORK,
          decisions: all,
          openQuestions: all,
          openSteps: all,
          openCalls: all,
          requests: all,
          filesWritten: all.map((path) => ({ path })),
          commands: all.flatMap((command, exitCode) => [
            { command, exitCode },
            { command: `git commit -m "${command}"`, exitCode: 0 },
          ]),
          omitted: { decisions: 1e9, filesWritten: 1e9, commands: 1e9 },
        }
        const summary = extractiveSummary({ task, work, lastModelMessage: task, proposed })
        expect(summary.length).toBeLessThanOrEqual(2000)
        expect(summary.trim()).not.toBe('')
        expect(extractiveSummary({ task, work, lastModelMessage: task, proposed })).toBe(summary)
      }),
      { numRuns: 50 },
    )
  })
})
