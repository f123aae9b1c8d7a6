import { llmAnswer, StewardError } from '@steward/contract'
import type { Connection } from '@steward/platform'
import type { ModelCall } from './history.ts'
import type { Payloads } from './payloads.ts'
import type { ReadyChange } from './write-steps.ts'

const INSERT = `INSERT INTO model_calls (run_id, step, ordinal, request_hash, at, flow, model,
    input_tokens, output_tokens, cost, redacted, answer)
  SELECT id, ?, ?, ?, ?, flow, ?, ?, ?, ?, ?, ? FROM runs WHERE id = ?`

/** Every paid call is its own row, also a repeated one. */
export const prepareCall = (call: ModelCall, payloads: Payloads): ReadyChange => {
  const { runId, step, ordinal, requestHash, at, answer } = call
  const encoded = payloads.encode(answer)
  return (connection) => {
    const { changes } = connection
      .statement(INSERT)
      .run(
        step,
        ordinal,
        requestHash,
        at,
        answer.model,
        answer.usage.input,
        answer.usage.output,
        answer.cost,
        encoded.redacted,
        encoded.column,
        runId,
      )
    if (changes !== 1) throw new StewardError('not_found', { what: 'run', name: runId })
    payloads.keep(connection, runId, encoded)
  }
}

export const readCalls = (
  { statement }: Connection,
  runId: string,
  step: number,
  payloads: Payloads,
): ModelCall[] =>
  statement('SELECT * FROM model_calls WHERE run_id = ? AND step = ? ORDER BY ordinal, seq')
    .all(runId, step)
    .map((row) => ({
      runId,
      step,
      ordinal: Number(row.ordinal),
      requestHash: String(row.request_hash),
      answer: llmAnswer.parse(payloads.decode(String(row.answer))),
      at: Number(row.at),
    }))
