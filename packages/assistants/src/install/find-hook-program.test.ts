import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { prepareHookProgram } from './find-hook-program.ts'

const prepare = (build: string): string => {
  const installation = mkdtempSync(join(tmpdir(), 'steward-clone-'))
  onTestFinished(() => rmSync(installation, { recursive: true, force: true }))
  mkdirSync(join(installation, 'scripts'))
  writeFileSync(join(installation, 'scripts/build-hook.ts'), build)
  try {
    prepareHookProgram({ env: {}, homedir: installation }, installation)
  } catch (thrown) {
    return String(thrown)
  }
  return 'nothing was thrown'
}

it('says why the hook program of a clone was not built, also when the build says nothing', () => {
  expect(prepare("process.kill(process.pid, 'SIGKILL')")).toContain(
    'cannot be built: SIGKILL ended it without a message',
  )
  expect(prepare("console.log('no disk space'); process.exit(3)")).toContain(
    'it exited with 3: no disk space',
  )
  expect(prepare("console.error('bad source'); process.exit(1)")).toContain(': bad source')
})
