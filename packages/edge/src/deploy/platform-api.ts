import { StewardError } from '@steward/contract'
import { z } from 'zod'
import { createAccountResources } from './account-resources.ts'
import { type ApiAccess, callApi } from './api-call.ts'

const script = z.looseObject({
  id: z.string(),
  modified_on: z.string().optional(),
  handlers: z.array(z.string()).nullish(),
})
export type DeployedScript = z.infer<typeof script>

const deployments = z.object({
  deployments: z.array(
    z.looseObject({
      created_on: z.string().optional(),
      author_email: z.string().optional(),
      versions: z
        .array(z.looseObject({ version_id: z.string(), percentage: z.number().optional() }))
        .default([]),
    }),
  ),
})
export type Deployment = z.infer<typeof deployments>['deployments'][number]

const binding = z.looseObject({
  type: z.string(),
  name: z.string(),
  service: z.string().optional(),
  namespace_id: z.string().optional(),
  id: z.string().optional(),
  queue_name: z.string().optional(),
  bucket_name: z.string().optional(),
})
const tail = z.object({ id: z.string(), url: z.string(), expires_at: z.string().optional() })
const logEvent = z.looseObject({
  timestamp: z.number(),
  source: z.unknown(),
  $metadata: z.looseObject({
    level: z.string().optional(),
    message: z.string().optional(),
    error: z.string().optional(),
    trigger: z.string().optional(),
    statusCode: z.number().optional(),
  }),
})
export type StoredLogEvent = z.infer<typeof logEvent>

const CLOSE_TIMEOUT_MS = 3000

/** The queries that Steward makes; none of them needs local files. Spec 1, Deployment rules, 4. */
export type PlatformApi = ReturnType<typeof createPlatformApi>

export const createPlatformApi = (access: ApiAccess, account: string) => {
  const root = `/accounts/${account}`
  const scriptPath = (worker: string) => `${root}/workers/scripts/${encodeURIComponent(worker)}`
  const ofWorker = async <Value>(
    worker: string,
    part: string,
    shape: z.ZodType<Value>,
  ): Promise<Value> => {
    const found = await callApi(access, `${scriptPath(worker)}/${part}`, shape)
    if (found === undefined) throw new StewardError('worker_not_found', { worker })
    return found.value
  }
  return {
    account,
    listScripts: async (): Promise<DeployedScript[]> =>
      (await callApi(access, `${root}/workers/scripts`, z.array(script)))?.value ?? [],
    /** Latest first; empty if the worker does not exist. */
    listDeployments: async (worker: string): Promise<Deployment[]> =>
      (await callApi(access, `${scriptPath(worker)}/deployments`, deployments))?.value
        .deployments ?? [],
    listSecrets: (worker: string) =>
      ofWorker(worker, 'secrets', z.array(z.looseObject({ name: z.string() }))).then((secrets) =>
        secrets.map(({ name }) => name),
      ),
    listCrons: (worker: string) =>
      ofWorker(
        worker,
        'schedules',
        z.object({ schedules: z.array(z.looseObject({ cron: z.string() })) }),
      ).then(({ schedules }) => schedules.map(({ cron }) => cron)),
    listBindings: (worker: string) =>
      ofWorker(worker, 'settings', z.looseObject({ bindings: z.array(binding).nullish() })).then(
        ({ bindings }) => bindings ?? [],
      ),
    findSubdomain: async (): Promise<string | undefined> =>
      (
        await callApi(
          access,
          `${root}/workers/subdomain`,
          z.looseObject({ subdomain: z.string().nullish() }),
        )
      )?.value.subdomain ?? undefined,
    resources: createAccountResources(access, root),
    /** An account without R2 gets a 403, and has no bucket either. */
    hasBucket: async (name: string): Promise<boolean> => {
      try {
        const path = `${root}/r2/buckets/${encodeURIComponent(name)}`
        return (await callApi(access, path, z.unknown())) !== undefined
      } catch (thrown) {
        if (thrown instanceof StewardError && thrown.details.status === 403) return false
        throw thrown
      }
    },
    openTail: async (worker: string) => {
      const path = `${scriptPath(worker)}/tails`
      const opened = await callApi(access, path, tail, { method: 'POST', body: { filters: [] } })
      if (opened === undefined) throw new StewardError('worker_not_found', { worker })
      return opened.value
    },
    /** Runs even after an abort, because the platform allows few concurrent tails. */
    closeTail: async (worker: string, id: string): Promise<void> => {
      const lasting = { ...access, signal: AbortSignal.timeout(CLOSE_TIMEOUT_MS) }
      const path = `${scriptPath(worker)}/tails/${id}`
      await callApi(lasting, path, z.unknown(), { method: 'DELETE' })
    },
    queryLogs: async (
      worker: string | undefined,
      timeframe: { from: number; to: number },
      limit: number,
    ): Promise<StoredLogEvent[]> => {
      const key = '$metadata.service'
      const found = await callApi(
        access,
        `${root}/workers/observability/telemetry/query`,
        z.looseObject({ events: z.looseObject({ events: z.array(logEvent).nullish() }).nullish() }),
        {
          method: 'POST',
          body: {
            queryId: 'steward-logs',
            timeframe,
            view: 'events',
            limit,
            parameters: {
              datasets: ['cloudflare-workers'],
              filters: [
                worker === undefined
                  ? { key, operation: 'starts_with', type: 'string', value: 'exec-' }
                  : { key, operation: 'eq', type: 'string', value: worker },
              ],
            },
          },
        },
      )
      return found?.value.events?.events ?? []
    },
  }
}

/** The accounts that a login may act for. */
export const listAccounts = async (access: ApiAccess): Promise<{ id: string; name: string }[]> => {
  const shape = z.array(z.object({ id: z.string(), name: z.string() }))
  return (await callApi(access, '/accounts', shape))?.value ?? []
}
