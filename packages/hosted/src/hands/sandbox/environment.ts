import { DEFAULT_PATH } from '@steward/platform'
import { INSIDE, type SandboxSpec } from './sandbox.ts'

/** What every program of a session finds in its environment. */
export const describeEnvironment = (spec: SandboxSpec): Record<string, string> => ({
  PATH: DEFAULT_PATH,
  HOME: INSIDE.home,
  LANG: 'C.UTF-8',
  TERM: 'dumb',
  TMPDIR: INSIDE.tmp,
  ...spec.env,
})
