import { randomBytes } from 'node:crypto'
import type { CredentialAuthGiven } from '@steward/contract'
import { createGuardedFetch, createGuardedStream } from '@steward/platform'
import type { StoredEvent } from '../../../database/stored-event.ts'
import { execute } from '../../../database/tx.ts'
import type { SessionBody } from '../../../log/session-body.ts'
import { openAuth, sealAuth } from '../../../vaults/open-credentials.ts'
import { createRefreshOauth } from '../../../vaults/refresh-oauth.ts'
import { createSeal } from '../../../vaults/seal.ts'
import { getCredential } from '../../../vaults/stored-credential.ts'
import { AGENT, type BrainBench, openBench } from '../../testing/brain-bench.ts'
import { createConnectMcp } from '../connect-mcp.ts'

type Tool = SessionBody['agent']['tools'][number]
type Policy = 'always_allow' | 'always_ask' | 'auto'

/** A bench whose brains connect to real MCP servers on loopback. */
export interface McpBench extends BrainBench {
  /** Private hosts that may be reached. */
  allow(...hosts: string[]): void
  addCredential(id: string, auth: CredentialAuthGiven): Promise<void>
  credential(id: string): Promise<CredentialAuthGiven>
  /** The whole log as text, including hidden parts. */
  text(sessionId: string): Promise<string>
}

export const VAULT = 'vlt_1'

export const openMcpBench = (): McpBench => {
  const bench = openBench()
  const seal = createSeal(randomBytes(32))
  const { database } = bench
  const now = (): number => bench.nowMs
  const allow = (...hosts: string[]): void => {
    const options = { allowPrivateHosts: hosts }
    const fetch = createGuardedFetch(options)
    bench.connectMcp = createConnectMcp({
      database,
      seal,
      now,
      fetch: createGuardedStream(options),
      refreshOauth: createRefreshOauth({ database, seal, fetch, now }),
      timer: bench.timer,
    })
  }
  allow()
  return Object.assign(bench, {
    allow,
    addCredential: async (id: string, auth: CredentialAuthGiven) => {
      await database.write(function* () {
        yield* execute(
          `INSERT INTO vaults (id, body, created_ms, updated_ms) VALUES ($1, '{}', 1, 1)
           ON CONFLICT DO NOTHING`,
          VAULT,
        )
        const shown = { type: 'static_bearer', mcp_server_url: 'http://x.test' }
        yield* execute(
          `INSERT INTO credentials (id, vault_id, body, sealed, created_ms, updated_ms)
           VALUES ($1, $2, $3, $4, 1, 1)`,
          id,
          VAULT,
          JSON.stringify({ display_name: null, metadata: {}, auth: shown }),
          sealAuth(seal, id, auth),
        )
      })
    },
    credential: (id: string) =>
      database.read(function* () {
        return openAuth(seal, yield* getCredential({ vault_id: VAULT, credential_id: id }))
      }),
    text: async (sessionId: string) => JSON.stringify(await bench.log(sessionId)),
  })
}

/** A session whose agent has the toolset of one server. */
export const withServer = (
  url: string,
  policy: Policy = 'always_ask',
  configs: readonly { name: string; enabled: boolean; policy?: Policy }[] = [],
): Partial<SessionBody> => {
  const tools: Tool[] = [
    {
      type: 'mcp_toolset',
      mcp_server_name: 'notes',
      default_config: { enabled: true, permission_policy: { type: policy } },
      configs: configs.map((config) => ({
        name: config.name,
        enabled: config.enabled,
        permission_policy: { type: config.policy ?? policy },
      })),
    },
  ]
  const mcp_servers = [{ type: 'url' as const, name: 'notes', url }]
  return { agent: { ...AGENT, tools, mcp_servers }, vault_ids: [VAULT] }
}

export const find = (log: readonly StoredEvent[], type: string): StoredEvent[] =>
  log.filter((event) => event.type === type)

export const lastStop = (log: readonly StoredEvent[]): unknown =>
  find(log, 'session.status_idle').at(-1)?.body.stop_reason

export const confirm = (tool_use_id: string, result: 'allow' | 'deny', deny_message?: string) => ({
  type: 'user.tool_confirmation',
  body: { tool_use_id, result, ...(deny_message ? { deny_message } : {}) },
  queued: true,
})
