import {
  type Request as EdgeRequest,
  Response as EdgeResponse,
  type ModuleDefinition,
  type WorkerOptions,
} from 'miniflare'
import type { WorkCount } from './work-count.ts'

/** The binding over which a worker reports its background work. */
const BINDING = 'STEWARD_BACKGROUND'

/** The parts that let a worker's background work be counted. */
export interface BackgroundParts {
  /** Placed before the worker's own modules. */
  modules: ModuleDefinition[]
  serviceBindings: NonNullable<WorkerOptions['serviceBindings']>
}

/**
 * The runtime does not report work that continues after a response (`waitUntil`), but ending it
 * requires knowing about it. So the worker's unchanged module is wrapped in another.
 */
export const describeBackground = (
  main: string,
  background: BackgroundCount | undefined,
): BackgroundParts =>
  background === undefined
    ? { modules: [], serviceBindings: {} }
    : {
        modules: [{ type: 'ESModule', path: 'steward-background.js', contents: writeEntry(main) }],
        serviceBindings: { [BINDING]: countOver(background) },
      }

/** A response is held until its background work is counted. */
const writeEntry = (main: string): string => `
import worker from ${JSON.stringify(`./${main}`)}
export * from ${JSON.stringify(`./${main}`)}

const tell = (env, method) => env.${BINDING}.fetch('https://edge/', { method })

export default {
  ...worker,
  async fetch(request, env, context) {
    const begun = []
    const waitUntil = context.waitUntil.bind(context)
    context.waitUntil = (work) => {
      waitUntil(work)
      const begin = tell(env, 'POST')
      begun.push(begin)
      waitUntil(Promise.allSettled([work, begin]).then(() => tell(env, 'DELETE')))
    }
    try {
      return await worker.fetch(request, env, context)
    } finally {
      await Promise.all(begun)
    }
  },
}
`

/** The background work of all workers of one workerd process. */
export interface BackgroundCount {
  begin(): void
  end(): void
  /** The process died, and its work with it: nothing will report the end. */
  endAll(): void
}

export const createBackgroundCount = (work: WorkCount): BackgroundCount => {
  const ends: (() => void)[] = []
  return {
    begin: () => ends.push(work.begin()),
    end: () => ends.pop()?.(),
    endAll: () => {
      for (const end of ends.splice(0)) end()
    },
  }
}

const countOver =
  (background: BackgroundCount): ((request: EdgeRequest) => EdgeResponse) =>
  ({ method }) => {
    if (method === 'POST') background.begin()
    if (method === 'DELETE') background.end()
    return new EdgeResponse(null, { status: 204 })
  }
