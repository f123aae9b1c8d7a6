import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { createCli } from './cli-process.ts'
import { CLONE_LAUNCHER } from './launcher.ts'

const cli = createCli(CLONE_LAUNCHER)
afterAll(() => cli.remove())

const GUIDE = join(import.meta.dirname, '../../docs/first-flow-on-the-edge.md')
const SUBCOMMANDS = new Set(['edge', 'secrets', 'workers', 'flows'])

/** Each command in the guide, with its options. */
const commands = new Map<string, Set<string>>()
for (const [, block = ''] of readFileSync(GUIDE, 'utf8').matchAll(
  /^ *```sh[^\n`]*\n(.*?)^ *```$/gms,
)) {
  for (const line of block.split('\n')) {
    const [program, command = '', next = ''] = line.trim().split(' ')
    if (program !== 'steward') continue
    const name = SUBCOMMANDS.has(command) ? `${command} ${next}` : command
    const options = commands.get(name) ?? new Set()
    for (const [option] of line.matchAll(/--[a-z-]+/g)) options.add(option)
    commands.set(name, options)
  }
}

it.each([...commands])(
  '`steward %s` of the guide exists, with its options',
  async (name, options) => {
    const { code, stdout } = await cli.run([...name.split(' '), '--help'])
    expect(code).toBe(0)
    const words = name.split(' ')
    expect(stdout).toContain(`Usage: steward ${words.join(' ')}`)
    // `run` accepts every input field as an option.
    for (const option of words[0] === 'run' ? [] : options) expect(stdout).toContain(option)
  },
)
