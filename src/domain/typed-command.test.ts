import { describe, expect, it } from 'vitest'
import { typedCommand } from './typed-command.ts'

describe('a command that the user typed', () => {
  it.each([
    ['<command-name>/review</command-name>', '/review'],
    [
      '<command-name> /review\n</command-name><command-args> the parser\nand <all> </command-args>',
      '/review the parser\nand <all>',
    ],
    ['<command-args>first</command-args> <command-name>/a</command-name>', '/a first'],
    ['<command-name>/a</command-name><command-args>no end', '/a'],
    [' \n<bash-input> ls -l </bash-input>', '! ls -l'],
    ['<bash-input></bash-input>', '! '],
    ['say <bash-input>ls</bash-input>', undefined],
    ['<command-name>/a', undefined],
    ['<command-name><b>/a</b></command-name>', undefined],
    ['What does <command-name>/a</command-name> mean?', undefined],
    ['words', undefined],
  ])('%j is %j', (text, command) => {
    expect(typedCommand(text)).toBe(command)
  })

  it.each(['<command-name>', '<bash-input>', '<command-name>/a</command-name><command-args>'])(
    'is found in linear time: %s and blanks',
    (tag) => {
      const start = performance.now()
      for (const end of ['', '<', 'x']) typedCommand(`${tag}${' '.repeat(200_000)}${end}`)
      expect(performance.now() - start).toBeLessThan(1000)
    },
  )
})
