import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { FlowItemView } from '@steward/contract'
import type { Random } from '../random.ts'
import { createWorld, type World } from '../world.ts'
import type { ItemServers } from './item-servers.ts'

export const FLOW = 'F_NEWS_POST'

/** A program that runs the flow and is killed while it does. */
export interface Victim {
  /**
   * Runs the flow once, or continues an interrupted run; ends with the run or the kill. Calls
   * `onBegin` when nothing of an earlier run is left.
   */
  run: (onBegin: () => void) => Promise<void>
  /** SIGKILL; false if there was nothing to kill. */
  kill: () => Promise<boolean>
  /** The states of the items, as the product lists them. */
  items: () => Promise<FlowItemView[]>
  /** What is on disk now and must not be asked for or delivered again. */
  stored: () => Stored
  close: () => Promise<void>
  /** Whether its model calls have a key by which a vendor recognises repetitions. */
  hasKeys: boolean
}

export interface Stored {
  answers: ReadonlySet<string>
  deliveries: ReadonlySet<string>
  /** Steps that the history shows with more than one attempt: they had begun when a process died. */
  begunAgain: number
}

export type StartVictim = (world: World, random: Random) => Victim

/** A data home with the flow: two steps that ask the model, and a destination. */
export const createItemWorld = (servers: ItemServers): World => {
  const world = createWorld({
    LLM_PROVIDER: 'openai',
    LLM_BASE_URL: servers.vendorUrl,
    LLM_API_KEY: 'k3y-of-the-test',
    AUTH_TOKEN: EDGE_TOKEN,
  })
  const write = (path: string, text: string): void => {
    const file = join(world.home, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  for (const step of ['SUMMARISE', 'JUDGE']) {
    const name = `A_${step}_TITLE`
    const manifest = { name, description: name, input: {}, output: {}, requires: ['llm'] }
    write(`USER/ACTIONS/${name}/action.json`, JSON.stringify(manifest))
    write(
      `USER/ACTIONS/${name}/action.mjs`,
      `export const execute = async ({ title }, { capabilities }) => {
         const { text } = await capabilities.llm(\`step ${step} of <\${title}>\`)
         return { ${step.toLowerCase()}: text }
       }\n`,
    )
  }
  write(
    'USER/PIPELINES/P_JUDGE_TITLE.yaml',
    'name: P_JUDGE_TITLE\ndescription: d\nactions: [A_SUMMARISE_TITLE, A_JUDGE_TITLE]\n',
  )
  const flow = {
    id: 'news',
    name: FLOW,
    source: { type: 'rss', url: servers.feedUrl },
    pipeline: 'P_JUDGE_TITLE',
    destination: { type: 'api', url: servers.destinationUrl },
    schedule: { intervalMinutes: 1440, enabled: true },
  }
  write('USER/FLOWS/flow-index.json', JSON.stringify({ flows: [flow] }))
  write(
    'settings.json',
    JSON.stringify({ execution: { fetch: { allowPrivateHosts: ['127.0.0.1'] } } }),
  )
  return world
}

export const EDGE_TOKEN = 'token-of-the-chaos-edge'

/** The text of every row of a query. */
export const readColumn = (file: string, sql: string): string[] => {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    return database
      .prepare(sql)
      .all()
      .map((row) => String(Object.values(row)[0]))
  } finally {
    database.close()
  }
}

export const DELIVERED = "SELECT item FROM flow_items WHERE state = 'delivered'"
