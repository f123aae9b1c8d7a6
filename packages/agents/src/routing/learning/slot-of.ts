/** Features are stored as numbers below `SLOTS` instead of names; few features share a number. */
const SLOTS = 32_768

const FIRST = 2_166_136_261
const PRIME = 16_777_619
const MIX = 2_246_822_507

/** The number that stands for the name of a feature; the same on every machine. */
export const slotOf = (name: string): number => {
  let hash = FIRST
  for (let at = 0; at < name.length; at += 1) hash = Math.imul(hash ^ name.charCodeAt(at), PRIME)
  hash = Math.imul(hash ^ (hash >>> 15), MIX)
  return (hash ^ (hash >>> 13)) & (SLOTS - 1)
}
