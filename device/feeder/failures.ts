/** Why a feeder ends. */

/** The source gives nothing, for now. */
export class FeederFailure extends Error {}

/** This Device lacks something, and another try would not help. */
export class FeederUnfit extends FeederFailure {}
