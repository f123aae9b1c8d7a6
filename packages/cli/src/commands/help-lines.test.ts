import type { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { memoryIo } from '../testing/memory-io.ts'
import { COMMANDS } from './index.ts'

const LONGEST_CHARS = 60

const withSubcommands = (command: Command): Command[] => [
  command,
  ...command.commands.flatMap(withSubcommands),
]

describe('help lines', () => {
  it.each(Object.entries(COMMANDS))('of %s are short and start with a verb', async (_, entry) => {
    const command = (await entry.load())(memoryIo({ args: [], env: {}, homedir: '/nowhere' }))
    const lines = [entry.summary, ...withSubcommands(command).map((each) => each.description())]
    for (const line of lines.filter((each) => each !== '')) {
      expect(line.length, line).toBeLessThanOrEqual(LONGEST_CHARS)
      // An imperative such as "List runs", not "Lists runs" or "Runs: list, show", and no sentence.
      expect(line).toMatch(/^[A-Z][a-z]*[^s\W],? .*[^.]$/)
    }
  })
})
