/** The weights of a feature: for each label that it speaks for or against. */
export type PackedWeights = readonly (readonly [label: number, weight: number])[]

const FIRST_LETTER = 97
/** The count of shared characters is one digit. */
const MOST_SHARED = 9

/**
 * One line per feature, sorted: the number of characters shared with the name before, the rest of
 * the name, and a letter per label: `3idate c4f` speaks for label c by 4 and for f by 1. Capital
 * letters speak against a label.
 */
export const packWeights = (features: ReadonlyMap<string, PackedWeights>): string => {
  let before = ''
  return [...features]
    .filter(([, weights]) => weights.length > 0)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, weights]) => {
      let shared = 0
      while (shared < MOST_SHARED && shared < name.length && name[shared] === before[shared])
        shared += 1
      before = name
      return `${shared}${name.slice(shared)} ${weights.map(packWeight).join('')}`
    })
    .join('\n')
}

const packWeight = ([label, weight]: PackedWeights[number]): string => {
  const letter = String.fromCharCode(FIRST_LETTER + label)
  const size = weight < 0 ? -weight : weight
  return `${weight < 0 ? letter.toUpperCase() : letter}${size === 1 ? '' : size}`
}

export const unpackWeights = (text: string): Map<string, PackedWeights> => {
  let before = ''
  return new Map(
    text.split('\n').map((line) => {
      const [start = '', packed = ''] = line.split(' ')
      const name = before.slice(0, Number(start[0])) + start.slice(1)
      before = name
      return [name, [...packed.matchAll(/([a-z])(\d*)/gi)].map(unpackWeight)]
    }),
  )
}

const unpackWeight = ([, letter = '', digits = '']: RegExpExecArray): PackedWeights[number] => {
  const size = digits === '' ? 1 : Number(digits)
  const lower = letter.toLowerCase()
  return [lower.charCodeAt(0) - FIRST_LETTER, letter === lower ? size : -size]
}
