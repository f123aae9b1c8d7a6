import { expect, it } from 'vitest'
import { pruneLockfile, type Workspace } from './prune-lockfile.ts'

const whole = {
  lockfileVersion: 3,
  packages: {
    '': { name: 'whole', workspaces: ['packages/*'] },
    'packages/edge': { name: '@steward/edge' },
    'node_modules/@steward/edge': { resolved: 'packages/edge', link: true },
    'node_modules/@steward/worker': { resolved: 'packages/worker', link: true },
    'packages/edge/node_modules/tool': {
      version: '2.0.0',
      integrity: 'sha512-b',
      dependencies: { helper: '1' },
      optionalDependencies: { 'tool-linux': '2', 'tool-gone': '2' },
    },
    'packages/edge/node_modules/tool/node_modules/helper': { version: '1.1.0' },
    'node_modules/tool': { version: '1.0.0' },
    'node_modules/tool-linux': { version: '2.0.0', os: ['linux'], optional: true },
    'node_modules/helper': { version: '3.0.0', dev: true },
    'node_modules/shared': { version: '1.0.0', dev: true, peerDependencies: { helper: '3' } },
    'node_modules/unused': { version: '1.0.0' },
  },
}

const workspaces = new Map<string, Workspace>([
  ['packages/edge', { name: '@steward/edge', version: '5.0.0', dependencies: { tool: '2.0.0' } }],
  ['packages/worker', { name: '@steward/worker', version: '5.0.0', dependencies: { shared: '1' } }],
])
const project = { name: 'steward-edge', version: '5.0.0', workspaces: [...workspaces.keys()] }

it('keeps what the workspaces find from their own folders, and nothing else', () => {
  const { packages } = pruneLockfile(whole, project, workspaces)
  expect(Object.keys(packages)).toEqual([
    '',
    'node_modules/@steward/edge',
    'node_modules/@steward/worker',
    'node_modules/helper',
    'node_modules/shared',
    'node_modules/tool-linux',
    'packages/edge',
    'packages/edge/node_modules/tool',
    'packages/edge/node_modules/tool/node_modules/helper',
    'packages/worker',
  ])
})

it('fetches packages that only our tests needed in the whole, because here they are needed', () => {
  const { packages } = pruneLockfile(whole, project, workspaces)
  expect(packages['node_modules/shared']).toEqual({
    version: '1.0.0',
    peerDependencies: { helper: '3' },
  })
  expect(packages['node_modules/tool-linux']).toEqual({
    version: '2.0.0',
    os: ['linux'],
    optional: true,
  })
})
