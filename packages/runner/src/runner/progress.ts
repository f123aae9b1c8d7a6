import type { RunStatus, Spend } from '@steward/contract'

/** Progress reports of a run. Steps count from 1. */
export type Progress =
  | { kind: 'run-started'; runId: string; name: string; steps: number }
  | {
      kind: 'step-started'
      runId: string
      step: number
      of: number
      action: string
      /** Its position, in pipelines with other steps than names. */
      path?: string
    }
  | {
      kind: 'step-ended'
      runId: string
      step: number
      of: number
      action: string
      path?: string
      durationMs: number
      error?: string
    }
  | {
      kind: 'run-ended'
      runId: string
      name: string
      status: RunStatus
      durationMs: number
      spend: Spend
    }
  | { kind: 'note'; runId: string; message: string }

export type OnProgress = (progress: Progress) => void
