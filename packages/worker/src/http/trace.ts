/** The run that a caller belongs to. */
export interface Trace {
  runId: string
  step: number
  pipeline: string | undefined
  /** Equal for every repetition of the same work, so that a vendor can charge its model calls once. */
  workKey?: string
}

const RUN_HEADER = 'x-trace-id'
const STEP_HEADER = 'x-steward-step'
const PIPELINE_HEADER = 'x-steward-pipeline'
const WORK_KEY_HEADER = 'x-steward-work-key'
/** A response header: the spending of its model calls, as JSON. */
export const SPEND_HEADER = 'x-steward-spend'
/** A response header of a failed pipeline: how many answers of models did not help, by step, as JSON. */
export const UNHELPFUL_HEADER = 'x-steward-unhelpful'

/**
 * The headers of calls, each for its trace. Made once per run and changed from step to step: setting
 * headers costs more than the rest of a call.
 */
export const createCallHeaders = (token: string): ((trace: Trace) => Headers) => {
  let known: { runId: string; pipeline: string | undefined; headers: Headers } | undefined
  return ({ runId, step, pipeline, workKey }) => {
    if (known?.runId !== runId || known.pipeline !== pipeline) {
      const headers = new Headers(commonHeaders(token, pipeline))
      headers.set(RUN_HEADER, runId)
      known = { runId, pipeline, headers }
    }
    known.headers.set(STEP_HEADER, String(step))
    if (workKey !== undefined) known.headers.set(WORK_KEY_HEADER, workKey)
    return known.headers
  }
}

/** A worker has one token, and a pipeline's one name, so that its runs begin with the same headers. */
const commonHeaders = (token: string, pipeline: string | undefined): Headers => {
  if (common?.token !== token || common.pipeline !== pipeline) {
    const headers = new Headers({
      'content-type': 'application/json',
      authorization: `Bearer ${token}`,
      ...(pipeline === undefined ? {} : { [PIPELINE_HEADER]: pipeline }),
    })
    common = { token, pipeline, headers }
  }
  return common.headers
}
let common: { token: string; pipeline: string | undefined; headers: Headers } | undefined

/** The headers of a call whose run id is already known. */
export const withRunId = (given: Headers, runId: string): Headers => {
  const headers = new Headers(given)
  headers.set(RUN_HEADER, runId)
  return headers
}

/**
 * The caller's trace, or a new one. Ids end up in messages and mail, so only plain ones are
 * accepted.
 */
export const traceOf = (request: Request, newId: () => string): Trace => {
  const step = request.headers.get(STEP_HEADER) ?? ''
  const pipeline = request.headers.get(PIPELINE_HEADER) ?? ''
  return {
    ...workOf(request, newId),
    step: /^\d{1,4}$/.test(step) ? Number(step) : 0,
    pipeline: /^P_[A-Z0-9_]{1,80}$/.test(pipeline) ? pipeline : undefined,
  }
}

/** The part of the trace that a pipeline passes on; its own place does not matter to it. */
export const workOf = (
  { headers }: Request,
  newId: () => string,
): Pick<Trace, 'runId' | 'workKey'> => {
  const runId = headers.get(RUN_HEADER)
  const workKey = headers.get(WORK_KEY_HEADER)
  return {
    runId: runId !== null && /^[\w.-]{1,80}$/.test(runId) ? runId : newId(),
    ...(workKey !== null && /^[\w.:/-]{1,200}$/.test(workKey) ? { workKey } : {}),
  }
}
