import type { Io } from '../../io.ts'
import { printJson } from '../../output/print-json.ts'
import type { TargetFlags } from './target.ts'
import type { HostedClient } from './types.ts'
import { withServer } from './with-server.ts'

/** Calls the server and prints what it answers: as JSON, or in words. */
export const showAnswer = <Answer>(
  io: Io,
  flags: TargetFlags,
  call: (client: HostedClient) => Promise<Answer>,
  inWords: (answer: Answer) => string,
): Promise<void> =>
  withServer(io, flags, async ({ client }) => {
    const answer = await call(client)
    if (flags.json) printJson(io.out, answer)
    else io.out.write(inWords(answer))
  })
