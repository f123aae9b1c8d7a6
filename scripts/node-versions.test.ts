import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { checkNode } from '../packages/daemon/src/doctor/check-node.ts'

const read = (path: string): string => readFileSync(join(import.meta.dirname, '..', path), 'utf8')
const { engines, optionalDependencies } = z
  .object({
    engines: z.record(z.string(), z.string()),
    optionalDependencies: z.record(z.string(), z.string()),
  })
  .parse(JSON.parse(read('package.json')))

test('the bundled Node is the one that the clone names', () => {
  const version = read('.node-version').trim()
  expect(new Set(Object.values(optionalDependencies))).toEqual(new Set([version]))
  expect(version).toMatch(/^24\./)
})

test('all places name the same oldest Node', () => {
  expect(engines).toEqual({ node: '>=20' })
  expect(read('README.md')).toMatch(/Steward runs on Node 24\. .* Node 20 or later with npm/)
  for (const file of ['packages/cli/bin/steward.mjs', 'scripts/need-node.mjs']) {
    expect(read(file), file).toContain('const oldest = 24\n')
  }
  expect(checkNode('v24.0.0').status).toBe('ok')
  expect(checkNode('v22.19.0').status).toBe('fail')
})
