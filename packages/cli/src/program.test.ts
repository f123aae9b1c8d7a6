import { expect, test } from 'vitest'
import { runCli } from './run-cli.ts'
import { memoryIo } from './testing/memory-io.ts'

const errorOf = async (...args: string[]): Promise<string> => {
  const io = memoryIo({ args, env: {}, homedir: '/nowhere' })
  expect(await runCli(io)).toBe(2)
  return io.err.text()
}

test('a subcommand of service that is typed at the top is named in full', async () => {
  for (const word of ['status', 'stop', 'logs']) {
    const text = await errorOf(word)
    expect(text).toContain(`(Did you mean service ${word}?)`)
    expect(text).not.toContain('mean start')
  }
})

test('a typo is answered with the nearest command', async () => {
  expect(await errorOf('lits')).toContain('(Did you mean list?)')
})
