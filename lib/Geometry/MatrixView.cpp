#include "conv/Geometry/MatrixView.h"
