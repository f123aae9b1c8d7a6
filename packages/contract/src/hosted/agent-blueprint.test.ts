import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createAgentBody, updateAgentBody } from './agent.ts'
import { applyAgentUpdate, makeAgentBlueprint } from './agent-blueprint.ts'
import { findAgentFault } from './agent-fault.ts'

const text = fc.option(fc.string({ maxLength: 20 }), { nil: null })
const model = fc.oneof(
  fc.constant('small'),
  fc.record(
    {
      id: fc.constantFrom('small', 'large'),
      effort: fc.constantFrom('low', { type: 'max' }, null),
      speed: fc.constantFrom('fast', null),
      inference_geo: fc.constantFrom('eu', null),
    },
    { requiredKeys: ['id'] },
  ),
)
const parts = {
  description: text,
  system: text,
  tools: fc.constantFrom([], null, [{ type: 'agent_toolset_20260401' }]),
  skills: fc.constantFrom([], null, [{ type: 'custom', skill_id: 'skill_1' }]),
}
const bag = fc.dictionary(fc.string({ minLength: 1 }), fc.string(), { maxKeys: 4 })
const made = fc
  .record(
    { ...parts, name: fc.constant('Clerk'), model, metadata: bag },
    { requiredKeys: ['name', 'model'] },
  )
  .map((body) => makeAgentBlueprint(createAgentBody.parse(body)))
const update = fc
  .record(
    { ...parts, name: fc.constant('Scribe'), model, metadata: fc.constantFrom({ a: null }, null) },
    { requiredKeys: [] },
  )
  .map((body) => updateAgentBody.parse(body))

test('an empty or identical update changes nothing', () => {
  fc.assert(
    fc.property(made, (before) => {
      expect(applyAgentUpdate(before, {})).toEqual(before)
      expect(applyAgentUpdate(before, updateAgentBody.parse(before))).toEqual(before)
    }),
  )
})

test('an update is idempotent and changes only the fields it names', () => {
  fc.assert(
    fc.property(made, update, (before, change) => {
      const after = applyAgentUpdate(before, change)
      expect(applyAgentUpdate(after, change)).toEqual(after)
      for (const field of ['name', 'description', 'system', 'tools', 'skills', 'model'] as const) {
        if (change[field] === undefined) expect(after[field]).toEqual(before[field])
      }
    }),
  )
})

const clerk = makeAgentBlueprint(
  createAgentBody.parse({
    name: 'Clerk',
    model: { id: 'large', effort: 'high', speed: 'fast', inference_geo: 'eu' },
    description: 'Files things.',
    system: 'Be brief.',
    tools: [{ type: 'agent_toolset_20260401' }],
    metadata: { team: 'a', desk: '4' },
  }),
)

test('null and empty clear; a model replaces all but its effort', () => {
  const cleared = { description: null, system: '', tools: null, metadata: { team: null } }
  expect(applyAgentUpdate(clerk, updateAgentBody.parse(cleared))).toEqual({
    ...clerk,
    description: null,
    system: null,
    tools: [],
    metadata: { desk: '4' },
  })
  const { model: changed } = applyAgentUpdate(clerk, { model: { id: 'small' } })
  expect(changed).toEqual({ id: 'small', effort: { type: 'high' } })
  expect(applyAgentUpdate(clerk, { model: { id: 'small', effort: null } }).model).toEqual({
    id: 'small',
  })
})

test.each([{ name: null }, { name: '' }, { model: null }, { version: 0 }, { nmae: 'x' }])(
  'an update may not be %o',
  (body) => {
    expect(updateAgentBody.safeParse(body).success).toBe(false)
  },
)

test('reports incompatible fields', () => {
  const server = { type: 'url', name: 'files', url: 'https://mcp.example.com/' } as const
  const toolset = { type: 'mcp_toolset', mcp_server_name: 'files' } as const
  const custom = { type: 'custom', name: 'bash', description: '', input_schema: {} } as const
  const fault = (body: object) =>
    findAgentFault(applyAgentUpdate(clerk, updateAgentBody.parse(body)))?.message
  expect(fault({})).toBeUndefined()
  expect(fault({ mcp_servers: [server], tools: [toolset] })).toBeUndefined()
  expect(fault({ mcp_servers: [server] })).toContain('no mcp_toolset in tools uses')
  expect(fault({ tools: [toolset] })).toContain('no server files')
  expect(fault({ mcp_servers: [server, server], tools: [toolset] })).toContain('twice')
  expect(fault({ tools: [{ type: 'agent_toolset_20260401' }, custom] })).toContain('named bash')
  const off = { type: 'agent_toolset_20260401', configs: [{ name: 'bash', enabled: false }] }
  expect(fault({ tools: [off, custom] })).toBeUndefined()
  const fetching = (url_sources: object | null) => ({
    tools: [{ type: 'agent_toolset_20260401', configs: [{ name: 'web_fetch', url_sources }] }],
  })
  expect(fault(fetching(null))).toBeUndefined()
  expect(fault(fetching({ user_input: 'all', client_tool_results: null }))).toBeUndefined()
  expect(fault(fetching({ server_tool_results: 'none' }))).toContain('url_sources of web_fetch')
})
