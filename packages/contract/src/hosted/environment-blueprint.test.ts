import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createEnvironmentBody, updateEnvironmentBody } from './environment.ts'
import { applyEnvironmentUpdate, makeEnvironmentBlueprint } from './environment-blueprint.ts'

const make = (body: object) => {
  const made = makeEnvironmentBlueprint(createEnvironmentBody.parse({ name: 'desk', ...body }))
  if (!made.ok) throw made.error
  return made.value
}
const change = (before: ReturnType<typeof make>, body: object) =>
  applyEnvironmentUpdate(before, updateEnvironmentBody.parse(body))

const limited = fc.record(
  {
    type: fc.constant('limited'),
    allowed_hosts: fc.constantFrom(null, [], ['a.com', '*.b.com']),
    allow_mcp_servers: fc.constantFrom(null, true, false),
    allow_package_managers: fc.constant(true),
  },
  { requiredKeys: ['type', 'allow_package_managers'] },
)
const packages = fc.record(
  { pip: fc.constantFrom(null, ['numpy==2.0']), npm: fc.constantFrom([], ['left-pad@1']) },
  { requiredKeys: [] },
)
const config = fc.oneof(
  fc.constant({ type: 'self_hosted' }),
  fc.record(
    {
      type: fc.constant('cloud'),
      networking: fc.oneof(limited, fc.constant({ type: 'unrestricted' })),
      packages,
    },
    { requiredKeys: ['type'] },
  ),
)

test('an empty or identical update changes nothing', () => {
  fc.assert(
    fc.property(config, (given) => {
      const before = make({ config: given })
      expect(change(before, {})).toEqual({ ok: true, value: before })
      expect(change(before, before)).toEqual({ ok: true, value: before })
      expect(change(before, { config: { type: before.config.type } })).toEqual({
        ok: true,
        value: before,
      })
    }),
  )
})

test('without a configuration it is a sandbox with an open network', () => {
  expect(make({}).config).toEqual({
    type: 'cloud',
    networking: { type: 'unrestricted' },
    packages: { type: 'packages', apt: [], cargo: [], gem: [], go: [], npm: [], pip: [] },
  })
})

test('omitted parts of a configuration are kept, and null never opens the network', () => {
  const before = make({
    config: {
      type: 'cloud',
      networking: { type: 'limited', allowed_hosts: ['HTTPS://A.com/'], allow_mcp_servers: true },
    },
  })
  const networking = { type: 'limited', allow_mcp_servers: null }
  const after = change(before, { config: { type: 'cloud', networking } })
  if (!after.ok || after.value.config.type !== 'cloud') throw new Error('no sandbox')
  expect(after.value.config.networking).toEqual({
    type: 'limited',
    allowed_hosts: ['a.com'],
    allow_mcp_servers: false,
    allow_package_managers: false,
  })
  expect(change(before, { config: { type: 'cloud', networking: null } })).toEqual({
    ok: true,
    value: before,
  })
})

test('its kind stays, packages need their managers, an empty string deletes metadata', () => {
  const before = make({ metadata: { a: '1' } })
  const refused = change(before, { config: { type: 'self_hosted' } })
  expect(refused).toMatchObject({
    error: { code: 'invalid_input', details: { error_code: 'invalid_config_type_change' } },
  })
  const closed = { networking: { type: 'limited' }, packages: { npm: ['jq'] } }
  expect(change(before, { config: { type: 'cloud', ...closed } })).toMatchObject({
    error: { details: { field: 'config.packages' } },
  })
  expect(change(before, { metadata: { a: '' } })).toMatchObject({ value: { metadata: {} } })
})

test.each(['--index-url=http://x', 'a b', ''])('%o is not a package name', (name) => {
  const body = { name: 'desk', config: { type: 'cloud', packages: { pip: [name] } } }
  expect(createEnvironmentBody.safeParse(body).success).toBe(false)
})

test('allowed hosts may have a port', () => {
  const hosts = (...allowed_hosts: string[]) =>
    make({ config: { type: 'cloud', networking: { type: 'limited', allowed_hosts } } }).config
  expect(hosts('DB.example.com:5432', 'https://a.com/', '*.b.com:8443')).toMatchObject({
    networking: { allowed_hosts: ['db.example.com:5432', 'a.com', '*.b.com:8443'] },
  })
  for (const wrong of ['a.com:0', 'a.com:65536', 'a.com:x', 'a.com:1:2', ':22', '[::1]:22'])
    expect(() => hosts(wrong), wrong).toThrow(/host such as|port from 1/)
})
