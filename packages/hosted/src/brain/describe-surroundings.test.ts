import { expect, test } from 'vitest'
import type { SessionBody } from '../log/session-body.ts'
import { describeSurroundings } from './describe-surroundings.ts'
import { AGENT } from './testing/brain-bench.ts'

const at = '2026-11-17T00:00:00.000Z'
const kept = { id: 'sesrsc_1', created_at: at, updated_at: at }
const BODY: SessionBody = {
  agent: AGENT,
  environment: {
    type: 'cloud',
    networking: {
      type: 'limited',
      allowed_hosts: [],
      allow_mcp_servers: false,
      allow_package_managers: true,
    },
    packages: { type: 'packages', apt: [], cargo: [], gem: [], go: [], npm: [], pip: ['pandas'] },
  },
  title: null,
  metadata: {},
  thread_id: 'sthr_1',
  resources: [
    {
      resource: { ...kept, type: 'file', file_id: 'file_1', mount_path: '/workspace/a.csv' },
      sealed_token: null,
    },
  ],
  vault_ids: [],
  budget: null,
  outcome_evaluations: [],
  roster_skills: {},
  session_id: null,
  skills: [{ version: 'skillver_1', name: 'invoices', description: 'Writes invoices.' }],
}
const nowMs = Date.parse(at)

test('a sandbox has the folders, resources, packages and skills', () => {
  const text = describeSurroundings(BODY, { nowMs, isolated: true })
  expect(text).toContain('Your tools run in a sandbox.')
  expect(text).toContain('- /workspace/a.csv: a file')
  expect(text).toContain('Installed for you: pandas (pip).')
  expect(text).toMatch(/invoices\/SKILL\.md: Writes invoices\./)
})

test('without isolation nothing is announced that is not there', () => {
  const text = describeSurroundings(BODY, { nowMs, isolated: false })
  expect(text).toContain('without a sandbox')
  expect(text).toContain(
    'This session was also given /workspace/a.csv, the skill invoices, pandas; they are not available',
  )
  expect(text).not.toMatch(/SKILL\.md|Installed for you|HTTPS_PROXY|Given to you/)
})
