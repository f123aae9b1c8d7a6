/** The run that a caller belongs to. */
export interface Trace {
  runId: string
  step: number
  pipeline: string | undefined
  /** Equal for every repetition of the same work, so that a vendor can charge its model calls once. */
  workKey?: string
}

/**
 * The run, and between workers also the step, the pipeline and the work key. One header for all, because
 * each one costs time in every call.
 */
const TRACE_HEADER = 'x-trace-id'
const NOTHING = '-'
/** Workers that were deployed earlier send these instead. */
const STEP_HEADER = 'x-steward-step'
const PIPELINE_HEADER = 'x-steward-pipeline'
const WORK_KEY_HEADER = 'x-steward-work-key'
/** A response header: the spending of its model calls, as JSON. */
export const SPEND_HEADER = 'x-steward-spend'
/** A response header of a failed pipeline: how many answers of models did not help, by step, as JSON. */
export const UNHELPFUL_HEADER = 'x-steward-unhelpful'

/**
 * The headers of calls, each for its trace. The same object for every call, because a call copies it and
 * creating one costs more than the rest of a call.
 */
export const createCallHeaders = (token: string): ((trace: Trace) => Headers) => {
  const headers = commonHeaders(token)
  return ({ runId, step, pipeline = NOTHING, workKey = NOTHING }) => {
    headers.set(TRACE_HEADER, `${runId} ${step} ${pipeline} ${workKey}`)
    return headers
  }
}

const commonHeaders = (token: string): Headers => {
  if (common?.token !== token) {
    const headers = new Headers({
      'content-type': 'application/json',
      authorization: `Bearer ${token}`,
    })
    common = { token, headers }
  }
  return common.headers
}
/** A worker has one token. */
let common: { token: string; headers: Headers } | undefined

/** The headers of a call whose run id is already known. */
export const withRunId = (given: Headers, runId: string): Headers => {
  const headers = new Headers(given)
  headers.set(TRACE_HEADER, runId)
  return headers
}

/**
 * The caller's trace, or a new one. Ids end up in messages and mail, so only plain ones are
 * accepted.
 */
export const traceOf = ({ headers }: Request, newId: () => string): Trace => {
  const text = headers.get(TRACE_HEADER)
  if (text === null) return { runId: newId(), step: 0, pipeline: undefined }
  const parts = text.split(' ')
  const [runId = '', step, pipeline, workKey] =
    parts.length === PARTS
      ? parts
      : [text, headers.get(STEP_HEADER), headers.get(PIPELINE_HEADER), headers.get(WORK_KEY_HEADER)]
  return {
    runId: /^[\w.-]{1,80}$/.test(runId) ? runId : newId(),
    step: isLike(step, /^\d{1,4}$/) ? Number(step) : 0,
    pipeline: isLike(pipeline, /^P_[A-Z0-9_]{1,80}$/) ? pipeline : undefined,
    ...(isLike(workKey, /^[\w.:/[\]-]{1,200}$/) && workKey !== NOTHING ? { workKey } : {}),
  }
}
const PARTS = 4

const isLike = (text: string | null | undefined, shape: RegExp): text is string =>
  typeof text === 'string' && shape.test(text)

/** Whether the caller is a worker. Workers read the cost from the body, which is quicker than a header. */
export const isCallOfWorker = ({ headers }: Request): boolean =>
  headers.get(TRACE_HEADER)?.split(' ').length === PARTS
