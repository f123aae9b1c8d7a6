import type { PolicyState } from '@steward/assistants'
import type { API, Judgement, RouteAnswer, RouteInput } from '@steward/contract'
import { inspectPrompt, judgeNamedPath, judgeTool } from '@steward/policy'

type Attempt = RouteInput<typeof API.trySecurity>['body']
type Answer = RouteAnswer<typeof API.trySecurity>

export interface AttemptPlace {
  homedir: string
  environment: Readonly<Record<string, string | undefined>>
  /** Masks values of variables, which are known here. */
  clean: (text: string) => string
}

/** Tests input against the active policy. */
export const judgeAttempt = (
  attempt: Attempt,
  { policy, problem }: PolicyState,
  { homedir, environment, clean }: AttemptPlace,
): Answer => {
  const { tool, input, path, effect, prompt, cwd = homedir } = attempt
  const judge = (): Judgement => {
    if (prompt !== undefined) return inspectPrompt(prompt)
    if (path !== undefined) return judgeNamedPath(path, effect, policy, { cwd })
    return judgeTool({ tool, input }, policy, { cwd, environment })
  }
  const show = (judgement: Judgement) => ({
    verdict: judgement.verdict,
    rule: judgement.rule,
    reason: clean(judgement.reason),
    part: clean(judgement.part),
    ...(judgement.tier === undefined ? {} : { tier: judgement.tier }),
    ...(judgement.effect === undefined ? {} : { effect: judgement.effect }),
    ...(judgement.path === undefined ? {} : { path: clean(judgement.path) }),
  })
  const judgement = judge()
  return {
    ...show(judgement),
    shadowed: (judgement.shadowed ?? []).map(show),
    source: policy.source,
    problem: problem?.kind === 'broken' ? problem.text : null,
  }
}
