import type { PlatformState, StandInScript } from './platform-state.ts'
import type { Refusal } from './read-upload.ts'

export interface StandInRequest {
  method: string
  /** Below the account, without the query. */
  path: string
  query: URLSearchParams
  contentType: string
  bytes: Uint8Array<ArrayBuffer>
  json: () => unknown
}

export type StandInAnswer = { result: unknown; pages?: number } | Refusal

export interface RouteContext {
  state: PlatformState
  request: StandInRequest
  /** The part that the pattern captured. */
  name: string
  id: string
  socketBase: string
}

export type Route = (context: RouteContext) => StandInAnswer | Promise<StandInAnswer>

export const noScript = (name: string): Refusal => ({
  status: 404,
  code: 10007,
  message: `This Worker does not exist on your account: ${name}`,
})

export const withScript =
  (use: (script: StandInScript, context: RouteContext) => StandInAnswer): Route =>
  (context) => {
    const script = context.state.scripts.get(context.name)
    return script === undefined ? noScript(context.name) : use(script, context)
  }

/** Method and path below the account, as wrangler and our own client call them. */
export type RouteTable = readonly (readonly [method: string, path: string, route: Route])[]

export const SCRIPT = '/workers/scripts/(?<name>[^/]+)'
