import type { AnswerPlace, AttentionAnswer, AttentionEntry, AttentionKind } from '@steward/contract'

type Here = Extract<AnswerPlace, { where: 'here' }>
type Send = (answer: AttentionAnswer) => void

/** Creates an element. Texts are never read as HTML. */
export const make = <Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Partial<HTMLElementTagNameMap[Name]> = {},
  ...children: (Node | string | undefined)[]
): HTMLElementTagNameMap[Name] => {
  const element = Object.assign(document.createElement(name), properties)
  element.append(...children.filter((child) => child !== undefined))
  return element
}

const WORDS: Readonly<Record<AttentionKind, string>> = {
  permission: 'asks for permission',
  question: 'has a question',
  plan: 'asks you to approve a plan',
  form: 'asks you to fill in a form',
  blocked: 'is blocked',
  error: 'stopped with an error',
  idle: 'waits for you',
  done: 'is done',
}

/** Shows the name of the session as it is now. */
export const renameEntry = (element: HTMLElement, { name }: AttentionEntry): void => {
  const heading = element.querySelector('h2')
  if (heading !== null && heading.textContent !== name) heading.textContent = name
}

/** One thing that waits, with the controls that answer it. */
export const renderEntry = (entry: AttentionEntry, mayAnswer: boolean, send: Send): HTMLElement => {
  const { name, kind, host, project, preview, since, answer } = entry
  const time = make('time', { dateTime: since })
  const place = [host, project.split(/[\\/]/).at(-1)].filter(Boolean).join(', ')
  const about = make('p', { className: 'about' }, `${WORDS[kind]} · ${place} · `, time)
  const article = make('article', {}, make('h2', {}, name), about)
  if (preview !== '') article.append(make('pre', {}, preview))
  if (answer.where === 'terminal') article.append(make('p', {}, answer.hint))
  else if (answer.where === 'command') article.append(make('p', {}, `Run: ${answer.command}`))
  else if (mayAnswer) article.append(renderForm(entry.id, answer, send))
  else article.append(make('p', {}, 'This device may look, but not answer.'))
  return article
}

const renderForm = (id: string, place: Here, send: Send): HTMLFormElement => {
  const form = make('form')
  form.onsubmit = (event) => event.preventDefault()
  const words = make('input', { type: 'text', maxLength: 10_000, autocomplete: 'off' })
  const button = (label: string, kind: string, press: () => void) => {
    const made = make('button', { type: 'button', className: kind }, label)
    made.onclick = press
    return made
  }
  const deny = () => {
    const message = words.value.trim()
    send({ decision: 'deny', ...(message === '' ? {} : { message }) })
  }
  const buttons = make('div', { className: 'buttons' })
  if (place.questions.length > 0) {
    const sets = place.questions.map((question, at) => renderQuestion(question, `${id}-${at}`))
    form.append(...sets.map(({ element }) => element))
    const choose = () => {
      const choice = Object.fromEntries(sets.map(({ question, chosen }) => [question, chosen()]))
      if (Object.values(choice).every((labels) => labels.length > 0)) send({ choice })
    }
    if (sets.some(({ hasOptions }) => hasOptions))
      buttons.append(button('Answer', 'primary', choose))
  } else if (place.fields.length > 0) {
    const fields = place.fields.map((field) => renderField(field))
    form.append(...fields.map(({ element }) => element))
    const fill = () => send({ content: Object.fromEntries(fields.flatMap(({ read }) => read())) })
    buttons.append(button('Send', 'primary', fill), button('Decline', 'danger', deny))
  } else if (place.decides) {
    buttons.append(button('Allow', 'primary', () => send({ decision: 'allow' })))
    buttons.append(button('Deny', 'danger', deny))
    if (place.always !== undefined) {
      const always = () => send({ decision: 'allow', scope: 'always' })
      buttons.append(button('Always', '', always))
      form.append(make('small', {}, `Always: ${place.always}`))
    }
    form.append(labelled('Reason if you deny (optional)', words))
  }
  if (place.takesText || place.questions.length === 1) {
    form.append(labelled('In your own words', words))
    const reply = () => {
      const text = words.value.trim()
      if (text !== '') send({ text })
    }
    buttons.append(button('Reply', '', reply))
  }
  form.append(buttons)
  return form
}

const labelled = (title: string, control: HTMLElement): HTMLElement =>
  make('label', { className: 'field' }, title, control)

const renderQuestion = (
  { question, options, multiple }: Here['questions'][number],
  name: string,
): {
  element: HTMLElement
  question: string
  hasOptions: boolean
  chosen: () => string[]
} => {
  const inputs = options.map(({ label }) =>
    make('input', { type: multiple ? 'checkbox' : 'radio', name, value: label }),
  )
  const labels = options.map(({ label, description }, at) =>
    make(
      'label',
      {},
      inputs[at],
      label,
      description === undefined ? undefined : make('small', {}, description),
    ),
  )
  return {
    element: make('fieldset', {}, make('legend', {}, question), ...labels),
    question,
    hasOptions: options.length > 0,
    chosen: () => inputs.filter(({ checked }) => checked).map(({ value }) => value),
  }
}

const renderField = ({
  name,
  title,
  type,
  options,
  required,
}: Here['fields'][number]): {
  element: HTMLElement
  read: () => [string, string | number | boolean][]
} => {
  const values = options ?? (type === 'boolean' ? ['true', 'false'] : undefined)
  const control =
    values === undefined
      ? make('input', { type: type === 'number' ? 'number' : 'text' })
      : make('select', {}, ...values.map((value) => make('option', {}, value)))
  return {
    element: labelled(`${title ?? name}${required ? '' : ' (optional)'}`, control),
    read: () => {
      const { value } = control
      if (type === 'boolean') return [[name, value === 'true']]
      if (value === '') return []
      return [[name, type === 'number' ? Number(value) : value]]
    },
  }
}
