import { randomUUID } from 'node:crypto'
import type { Route } from './platform-route.ts'
import { readUpload } from './read-upload.ts'

/** The platform returns version ids without hyphens in one response and with them in others. */
const bare = (id: string): string => id.replaceAll('-', '')

/** Accepts a script's modules and metadata in wrangler's form encoding. */
export const upload =
  (deployAtOnce: boolean): Route =>
  async ({ state, request, name }) => {
    const read = await readUpload(request.bytes, request.contentType, state)
    if ('code' in read) return read
    const version = randomUUID()
    const before = state.scripts.get(name)
    state.uploads.push(name)
    state.scripts.set(name, {
      secrets: {},
      crons: [],
      onSubdomain: false,
      deployments: [],
      versions: [],
      ...before,
      ...read,
      name,
      modified: new Date().toISOString(),
    })
    const script = state.scripts.get(name)
    script?.versions.push(version)
    if (deployAtOnce) script?.deployments.push(version)
    const { main_module: main } = read.metadata
    return {
      result: {
        id: deployAtOnce ? name : version,
        number: script?.versions.length,
        tag: bare(version),
        etag: bare(version),
        deployment_id: bare(version),
        startup_time_ms: 3,
        entry_point: main,
        pipeline_hash: '',
        available_on_subdomain: true,
        metadata: { has_preview: false },
        resources: {
          script: { etag: bare(version), handlers: ['fetch'] },
          bindings: [],
          script_runtime: {},
        },
      },
    }
  }
