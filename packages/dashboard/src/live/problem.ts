import { StewardError } from '@steward/contract/client'

/** A failure in words for the person. */
export interface Problem {
  /** `signIn`: this browser must sign in first. `unreachable`: no answer. */
  kind: 'signIn' | 'unreachable' | 'refused'
  message: string
  /** The remedy, if known. */
  remedy?: string
  details: Readonly<Record<string, unknown>>
}

export const toProblem = (thrown: unknown): Problem => {
  if (!(thrown instanceof StewardError)) {
    return { kind: 'refused', message: String(thrown), details: {} }
  }
  const { code, message, details } = thrown
  if (code === 'unauthorized') {
    return {
      kind: 'signIn',
      message: 'This needs you to be signed in.',
      remedy: 'Run `steward open` in a terminal: it opens this page signed in.',
      details,
    }
  }
  const isUnreachable = code === 'upstream_failed' && details.service === 'the daemon'
  if (isUnreachable) {
    return {
      kind: 'unreachable',
      message: 'The daemon does not answer.',
      remedy: 'Start it with `steward service start` or `npm start`; this page then continues.',
      details,
    }
  }
  return { kind: 'refused', message, remedy: thrown.remedy, details }
}

/** The code of a page could not be loaded. Its files have other names after an update. */
export const describeUnloaded = (thrown: unknown): Problem => ({
  kind: 'refused',
  message: 'This page could not be loaded.',
  remedy:
    'Steward may have been updated since this tab was opened, or it does not answer: reload the page.',
  details: { reason: String(thrown) },
})
