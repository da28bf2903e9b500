/** `blog-content-read-api/architecture`: the layer rules, and a suite that proves them. */

export { type ArchitectureSubject, architectureContract } from '../architecture/architecture.contract.js';
export { CRUISE_OPTIONS } from '../architecture/cruise.js';
export type { Layers } from '../architecture/layers.js';
export { architectureRules, forbid, packageHome, type Rule } from '../architecture/rules.js';
