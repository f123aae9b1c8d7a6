import type { AskedFor, AttentionAnswer } from '@steward/contract'

/** Why an answer does not fit its request; undefined if it does. */
export const explainMisfit = (asked: AskedFor, answer: AttentionAnswer): string | undefined => {
  if ('decision' in answer) return misfitOfDecision(asked, answer)
  if ('content' in answer) return misfitOfContent(asked, answer.content)
  if ('text' in answer) {
    if (asked.takesText || asked.questions.length === 1) return undefined
    if (!asked.decides) return 'it takes no text'
    return 'it takes a decision: allow or deny, with a message if you like'
  }
  return misfitOfChoice(asked, answer.choice)
}

type Decision = Extract<AttentionAnswer, { decision: unknown }>
type Choice = Extract<AttentionAnswer, { choice: unknown }>['choice']
type Content = Extract<AttentionAnswer, { content: unknown }>['content']

const misfitOfDecision = (
  { decides, always, questions, fields }: AskedFor,
  { decision, scope }: Decision,
): string | undefined => {
  // Questions and forms can be refused; only an answer to them can be sent.
  const isAsking = questions.length > 0 || fields.length > 0
  if (decision === 'allow' && isAsking) {
    return fields.length > 0 ? 'it asks for the fields of a form' : 'it asks for a choice'
  }
  if (!decides && !isAsking) return 'it takes no decision'
  if (scope === 'always' && (decision !== 'allow' || always === undefined)) {
    return 'the assistant offers no "always" for it; allow it once'
  }
  return undefined
}

const misfitOfChoice = ({ questions }: AskedFor, choice: Choice): string | undefined => {
  const [first] = questions
  if (first === undefined) return 'it offers no choice'
  const isByQuestion = typeof choice === 'object' && !Array.isArray(choice)
  if (!isByQuestion && questions.length > 1) {
    return `it has ${questions.length} questions; answer each by its text`
  }
  const given = isByQuestion ? choice : { [first.question]: choice }
  const unknown = Object.keys(given).find(
    (name) => !questions.some(({ question }) => question === name),
  )
  if (unknown !== undefined) return `it has no question "${unknown}"`
  const open = questions.find(({ question }) => !Object.hasOwn(given, question))
  if (open !== undefined) return `"${open.question}" has no answer`
  for (const { question, multiple, options } of questions) {
    const chosen = [given[question] ?? []].flat()
    if (!multiple && chosen.length > 1) return `"${question}" takes one option`
    const strange = chosen.find((label) => !options.some((option) => option.label === label))
    // A text of one's own is an answer too, but a typo in an option must not be taken for one.
    if (strange !== undefined && options.length > 0) {
      return `"${question}" has no option "${strange}"; use text for an answer of your own`
    }
  }
  return undefined
}

const misfitOfContent = ({ fields }: AskedFor, content: Content): string | undefined => {
  if (fields.length === 0) return 'it has no form'
  const unknown = Object.keys(content).find((key) => !fields.some(({ name }) => name === key))
  if (unknown !== undefined) return `the form has no field "${unknown}"`
  for (const { name, type, options, required } of fields) {
    const value = content[name]
    if (value === undefined) {
      if (required) return `the field "${name}" is required`
      continue
    }
    const wanted = type === 'text' ? 'string' : type
    if (typeof value !== wanted) return `the field "${name}" takes a ${type}`
    if (options !== undefined && !options.includes(String(value))) {
      return `the field "${name}" takes one of: ${options.join(', ')}`
    }
  }
  return undefined
}
