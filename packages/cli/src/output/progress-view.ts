import { primitiveOf } from '@steward/contract'
import type { OnProgress, Progress } from '@steward/runner'
import type { Sink } from '../io.ts'
import { cleanText } from './clean-text.ts'
import { formatDuration, formatSpend } from './format.ts'
import { createLiveLine, type LiveLine, type Timers } from './live-line.ts'

export interface ProgressOptions {
  quiet: boolean
  verbose: boolean
  /** A flow shows notes per item; the steps of each would be too much. */
  flow?: boolean
  now: () => number
  timers?: Timers
}

export interface ProgressView {
  onProgress: OnProgress
  /** Removes the live line, so that later output starts on a clean line. */
  close: () => void
}

/**
 * Shows the progress of a run on stderr: one line per step, and on a terminal what is taking long.
 */
export const createProgressView = (err: Sink, options: ProgressOptions): ProgressView => {
  if (options.quiet) return { onProgress: () => undefined, close: () => undefined }
  const live = createLiveLine(err, options.now, options.timers)
  const names = new Map<string, string>()
  return {
    onProgress: (progress) => {
      if (progress.kind === 'run-started') names.set(progress.runId, progress.name)
      const line = describe(progress, names, err, options)
      for (const each of line?.split('\n') ?? []) live.print(each)
      follow(progress, live)
    },
    close: live.close,
  }
}

const follow = (progress: Progress, live: LiveLine): void => {
  if (progress.kind === 'step-started') live.begin(progress.runId, progress.action)
  if (progress.kind === 'step-ended' || progress.kind === 'run-ended') live.end(progress.runId)
}

const describe = (
  progress: Progress,
  names: Map<string, string>,
  { paint }: Sink,
  { verbose, flow = false }: ProgressOptions,
): string | undefined => {
  const name = names.get(progress.runId) ?? ''
  const label = paint.dim(`[${primitiveOf(name) ?? 'flow'}]`)
  switch (progress.kind) {
    case 'run-started':
      return verbose ? `${label} ${name} started: run ${progress.runId}` : undefined
    case 'step-started':
      return verbose ? `${label} ${progress.action} started` : undefined
    case 'step-ended': {
      if (flow && !verbose) return undefined
      const took = paint.dim(formatDuration(progress.durationMs))
      const mark = progress.error === undefined ? '' : paint.red(' failed')
      const place = progress.path === undefined ? '' : paint.dim(` ${progress.path}`)
      return `${label}${place} ${progress.action}${mark} ${took}`
    }
    case 'note':
      return cleanText(progress.message).replaceAll(/^/gm, `${label} `)
    case 'run-ended':
      return verbose ? ending(progress, label) : undefined
  }
}

const ending = (progress: Extract<Progress, { kind: 'run-ended' }>, label: string): string => {
  const parts = [formatDuration(progress.durationMs), formatSpend(progress.spend)]
  const rest = parts.filter((part) => part !== '').join(', ')
  return `${label} ${progress.name} ${progress.status} in ${rest}: run ${progress.runId}`
}
