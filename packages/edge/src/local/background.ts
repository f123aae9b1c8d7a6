import {
  type Request as EdgeRequest,
  Response as EdgeResponse,
  type ModuleDefinition,
  type WorkerOptions,
} from 'miniflare'
import type { WorkCount } from './work-count.ts'

/** The binding over which a worker tells of work behind its answers. */
const BINDING = 'STEWARD_BACKGROUND'

/** What a worker is given so that its work behind answers is counted. */
export interface BackgroundParts {
  /** To stand before the worker's own modules. */
  modules: ModuleDefinition[]
  serviceBindings: NonNullable<WorkerOptions['serviceBindings']>
}

/**
 * The runtime says nothing of work that goes on behind an answer (`waitUntil`), and whoever wants to
 * end it has to know. So the worker's module, which stays as it was built, gets another around it.
 */
export const describeBackground = (main: string, work: WorkCount | undefined): BackgroundParts =>
  work === undefined
    ? { modules: [], serviceBindings: {} }
    : {
        modules: [{ type: 'ESModule', path: 'steward-background.js', contents: writeEntry(main) }],
        serviceBindings: { [BINDING]: countOver(work) },
      }

/** An answer is held until the work behind it is counted. */
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

const countOver = (work: WorkCount): ((request: EdgeRequest) => EdgeResponse) => {
  const ends: (() => void)[] = []
  return ({ method }) => {
    if (method === 'POST') ends.push(work.begin())
    if (method === 'DELETE') ends.pop()?.()
    return new EdgeResponse(null, { status: 204 })
  }
}
