import { expect, test } from 'vitest'
import { runAside } from './run-aside.ts'

const node = (code: string) => runAside(process.execPath, ['-e', code])

test('reports the exit code and the output of both streams', async () => {
  expect(await node('console.log("é fine")')).toEqual({ isGood: true, said: 'é fine\n' })
  expect(await node('console.error("bad"); process.exit(2)')).toEqual({
    isGood: false,
    said: 'bad\n',
  })
  expect(await node('process.kill(process.pid, "SIGKILL")')).toMatchObject({ isGood: false })
})

test('a command that is not there failed', async () => {
  expect(await runAside('steward-no-such-command', [])).toEqual({
    isGood: false,
    said: expect.stringContaining('ENOENT'),
  })
})
