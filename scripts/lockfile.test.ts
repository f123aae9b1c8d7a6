import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'

const lockfile = z.object({
  packages: z.record(
    z.string(),
    z.looseObject({
      link: z.boolean().optional(),
      integrity: z.string().optional(),
      resolved: z.string().optional(),
    }),
  ),
})
const { packages } = lockfile.parse(
  JSON.parse(readFileSync(join(import.meta.dirname, '../package-lock.json'), 'utf8')),
)
const installed = Object.entries(packages).filter(
  ([path, { link }]) => path.includes('node_modules/') && link !== true,
)

test('every package in the lockfile has a SHA-512 checksum', () => {
  expect(installed.length).toBeGreaterThan(100)
  const unchecked = installed.filter(([, { integrity = '' }]) => !integrity.startsWith('sha512-'))
  expect(unchecked.map(([path]) => path)).toEqual([])
})

test('the lockfile names no registry host, so that any mirror can serve it', () => {
  expect(installed.filter(([, { resolved }]) => resolved !== undefined)).toEqual([])
})
