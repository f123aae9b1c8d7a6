import { expect, test } from 'vitest'
import { runCli } from '../../run-cli.ts'
import { memoryIo } from '../../testing/memory-io.ts'

test('a package file that does not exist is named, without asking npm', async () => {
  const io = memoryIo({ args: ['upgrade', './gone.tgz'], env: {}, homedir: '/nowhere' })
  expect(await runCli(io)).toBe(2)
  expect(io.err.text()).toContain('error: ./gone.tgz: there is no such file\n')
  expect(io.err.text()).toContain('what to do: Give a file that `npm run pack` made')
})
