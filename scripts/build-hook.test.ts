import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const SCRIPT = join(import.meta.dirname, 'build-hook.ts')
const INPUTS = join(import.meta.dirname, '../packages/assistants/dist/inputs/hook.json')
const SOURCE = 'packages/policy/src/index.ts'

const build = (): void => {
  const { status, stderr } = spawnSync(process.execPath, [SCRIPT], { encoding: 'utf8' })
  expect(stderr).toBe('')
  expect(status).toBe(0)
}
const stamps = (): unknown[][] => JSON.parse(readFileSync(INPUTS, 'utf8'))
const stampOfSource = () => stamps().find(([path]) => path === SOURCE)

test('the hook program is built again only when a source changed', () => {
  build()
  const built = stampOfSource()
  expect(built).toBeDefined()
  const inOtherOrder = JSON.stringify(stamps().toReversed())
  writeFileSync(INPUTS, inOtherOrder)
  build()
  expect(readFileSync(INPUTS, 'utf8')).toBe(inOtherOrder)
  const older = stamps().map(([path, changedMs, size]) =>
    path === SOURCE ? [path, 0, size] : [path, changedMs, size],
  )
  writeFileSync(INPUTS, JSON.stringify(older))
  build()
  expect(stampOfSource()).toEqual(built)
})
