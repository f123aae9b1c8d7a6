import { expect, test } from 'vitest'
import type { SessionBody } from '../log/session-body.ts'
import { describeSurroundings } from './describe-surroundings.ts'
import { AGENT } from './testing/brain-bench.ts'

const at = '2026-11-17T00:00:00.000Z'
const kept = { id: 'sesrsc_1', created_at: at, updated_at: at }
type Environment = Extract<SessionBody['environment'], { type: 'cloud' }>
type Networking = Environment['networking']
const LIMITED = {
  ...{ type: 'limited', allowed_hosts: [], allow_mcp_servers: false },
  allow_package_managers: true,
} satisfies Networking
const ENVIRONMENT: Environment = {
  type: 'cloud',
  networking: LIMITED,
  packages: { type: 'packages', apt: [], cargo: [], gem: [], go: [], npm: [], pip: ['pandas'] },
}
const BODY: SessionBody = {
  agent: AGENT,
  environment: ENVIRONMENT,
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
  const text = describeSurroundings(BODY, { nowMs, isolated: true, network: 'tcp' })
  expect(text).toContain('Your tools run in a sandbox.')
  expect(text).toContain('- /workspace/a.csv: a file')
  expect(text).toContain('Installed for you: pandas (pip).')
  expect(text).toMatch(/invoices\/SKILL\.md: Writes invoices\./)
})

test('without isolation nothing is announced that is not there', () => {
  const text = describeSurroundings(BODY, { nowMs, isolated: false, network: 'host' })
  expect(text).toContain('without a sandbox')
  expect(text).toContain(
    'This session was also given /workspace/a.csv, the skill invoices, pandas; they are not available',
  )
  expect(text).not.toMatch(/SKILL\.md|Installed for you|HTTPS_PROXY|Given to you/)
})

test('the network is described as it is', () => {
  const say = (networking: Networking, network: 'tcp' | 'http') => {
    const environment = { ...ENVIRONMENT, networking }
    return describeSurroundings({ ...BODY, environment }, { nowMs, isolated: true, network })
  }
  const listed: Networking = {
    ...LIMITED,
    allowed_hosts: ['db.example.com:5432'],
    allow_package_managers: false,
  }
  expect(say({ type: 'unrestricted' }, 'tcp')).toMatch(
    /except private addresses\. DNS and TCP work/,
  )
  expect(say({ type: 'unrestricted' }, 'http')).toContain('there is no DNS and no other TCP')
  expect(say(listed, 'tcp')).toMatch(/reach only db\.example\.com:5432; .* DNS and TCP work/)
  expect(say({ ...listed, allowed_hosts: [] }, 'tcp')).toContain('There is no network')
})
