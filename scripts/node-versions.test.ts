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
  expect(read('README.md')).toMatch(
    /Steward runs on Node 22\.18 or later\. .* Node 20 with npm is enough/,
  )
  for (const file of ['packages/cli/bin/steward.mjs', 'scripts/need-node.mjs']) {
    expect(read(file), file).toContain("const oldest = '22.18'\n")
  }
  for (const version of ['v22.18.0', 'v22.20.1', 'v23.0.0', 'v24.0.0']) {
    expect(checkNode(version).status, version).toBe('ok')
  }
  for (const version of ['v20.20.2', 'v22.17.9']) {
    expect(checkNode(version).status, version).toBe('fail')
  }
})
