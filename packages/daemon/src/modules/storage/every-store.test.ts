import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'

const PROGRAM = join(import.meta.dirname, 'testing/break-every-store.ts')
/** An administrator may read everything; without capabilities the permissions of files count. */
const WITHOUT_RIGHTS = ['setpriv', '--bounding-set', '-all', '--inh-caps', '-all']

const results = z.array(
  z.object({
    store: z.string(),
    fault: z.string(),
    status: z.string(),
    health: z.array(z.string()),
    doctor: z.array(z.string()),
    hasRemedies: z.boolean(),
  }),
)

test('health and doctor name every store that is denied, replaced or damaged', {
  timeout: 120_000,
}, () => {
  const root = mkdtempSync(join(tmpdir(), 'steward-stores-'))
  const prefix = process.getuid?.() === 0 ? WITHOUT_RIGHTS : []
  const [program = '', ...args] = [...prefix, process.execPath, PROGRAM, root]
  const { stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' })
  rmSync(root, { recursive: true })
  if (stdout === '') throw new Error(stderr)
  const [sound, ...broken] = results.parse(JSON.parse(stdout))
  expect(sound).toMatchObject({ status: 'ok', health: [], doctor: [] })
  expect(broken.length).toBeGreaterThan(80)
  const unnamed = broken.flatMap(({ store, fault, status, health, doctor, hasRemedies }) => [
    ...(health.includes(store) && status !== 'ok' ? [] : [`health: ${store} ${fault}`]),
    ...(doctor.some((message) => message.startsWith(`${store}:`))
      ? []
      : [`doctor: ${store} ${fault}`]),
    ...(hasRemedies ? [] : [`no remedy: ${store} ${fault}`]),
  ])
  expect(unnamed).toEqual([])
})
